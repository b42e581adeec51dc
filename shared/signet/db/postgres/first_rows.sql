INSERT INTO agents (id, name, read_policy, created_at, updated_at) VALUES ('default', 'default', 'shared', %(at)s, %(at)s);
