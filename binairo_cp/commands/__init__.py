"""What a user can request, shared by the command line and the service."""
