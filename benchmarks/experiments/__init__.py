"""The experiments, one file each; each declares its measurements in `EXPERIMENT`."""
