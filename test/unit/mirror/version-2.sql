-- What the second version added to the first. Files of this shape exist: this text never changes.
CREATE TABLE figures (
  name TEXT,
  at_ms INTEGER,
  value TEXT,
  PRIMARY KEY (name, at_ms)
) STRICT, WITHOUT ROWID;
