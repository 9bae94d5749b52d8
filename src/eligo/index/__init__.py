"""What does a user hold? An index: built or opened, asked, changed, and saved."""
