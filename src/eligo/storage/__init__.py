"""What is on disk, and can it be trusted? Files of named arrays, and a manifest that is replaced atomically."""
