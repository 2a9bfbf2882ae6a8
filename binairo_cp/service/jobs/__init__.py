"""Long work: jobs that are kept in a folder, run by processes of their own, and survive a restart.

`models` says what can be asked, `store` keeps what was, `runner` does one job in its process,
`keeper` starts and ends these, `routes` tell of it.
"""
