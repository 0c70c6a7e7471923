"""What became of a model, whether it is right, and where its time goes: explain, verify, profile, for every kind of executable."""
