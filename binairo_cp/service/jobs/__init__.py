"""Jobs: long work that runs in separate processes and survives a restart of the server.

`models` defines the requests, and `submission` accepts them. `store` saves jobs in a `database`
whose rows `table` describes, and `folder` has their files. `manager` starts and stops processes,
`runner` is the process of one job, and `results` reads what it writes. `routes` is the HTTP API.
"""
