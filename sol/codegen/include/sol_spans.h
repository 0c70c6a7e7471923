/* How long each thread works and waits in every launch of a network, for profiles. Nothing waits for anything that it would not wait for
 * without them. Included by sol_run.h.
 *
 * call->spans is NULL, or memory of each thread in turn, call->spans[0] int64 apart from 8 on: a record of 8 for the thread itself (1 + the
 * last launch that ended, when it ended or the one under way began), then one of 8 for each launch: when it began and ended (ns), how long
 * the thread worked in it, how long it waited afterwards until its next launch, and how often it was run. */
#ifndef SOL_SPANS_H
#define SOL_SPANS_H

static inline int64_t *sol_spans_of(const sol_team *team, const sol_call *call) { return call->spans + 8 + team->id * call->spans[0]; }

/* Apart from the network, which is compiled the faster for it: of hundreds of launches, and most calls write nothing. */
#define SOL_APART static __attribute__((noinline, cold, unused))

SOL_APART void sol_note_begin(const sol_team *team, const sol_call *call, int i)
{
    int64_t *own = sol_spans_of(team, call), *span = own + 8 + 8 * (int64_t)i, now = sol_now();
    if (own[0]) own[8 * own[0] + 3] += now - own[1];
    if (!span[4]) span[0] = now;
    own[1] = now;
}

SOL_APART void sol_note_end(const sol_team *team, const sol_call *call, int i)
{
    int64_t *own = sol_spans_of(team, call), *span = own + 8 + 8 * (int64_t)i, now = sol_now();
    span[1] = now;
    span[2] += now - own[1];
    span[4]++;
    own[0] = i + 1;
    own[1] = now;
}

/* Launch i begins in this thread. A call, like its end: of hundreds of launches, conditions would take longest to compile. */
static __attribute__((noinline, unused)) void sol_begin(const sol_team *team, const sol_call *call, int i)
{
    if (team->launches) ++*team->launches;
    if (call->spans) sol_note_begin(team, call, i);
}

/* Launch i has ended in this thread. */
static __attribute__((noinline, unused)) void sol_end(const sol_team *team, const sol_call *call, int i)
{
    if (call->spans) sol_note_end(team, call, i);
}
#endif
