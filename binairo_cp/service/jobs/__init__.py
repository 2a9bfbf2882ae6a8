"""Jobs: long work that runs in separate processes and survives a restart of the server.

`routes` is the HTTP API, and `records` defines its requests and records. `store` saves jobs in a
database, and `folder` has their files. `manager` starts, follows and stops runs of jobs, and
`runner` is the process of one.
"""
