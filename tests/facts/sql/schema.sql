-- People who buy.
CREATE TABLE IF NOT EXISTS app.users (
--                             ^^^^^ def table users
  id SERIAL PRIMARY KEY, -- the , number
--^^ def column users.id
  "full name" TEXT NOT NULL DEFAULT 'a, (b',
-- ^^^^^^^^^ def column users.full name
  `kind` numeric(10, 2) CHECK (kind IN (1, 2)),
-- ^^^^ def column users.kind
  CONSTRAINT q UNIQUE (id),
  PRIMARY KEY (id),
  created timestamp
--^^^^^^^ def column users.created
);
CREATE OR REPLACE VIEW recent AS SELECT * FROM users;
--                     ^^^^^^ def view recent
CREATE MATERIALIZED VIEW mv_totals AS SELECT 1;
--                       ^^^^^^^^^ def view mv_totals
CREATE UNIQUE INDEX CONCURRENTLY idx_users ON users (id);
--                               ^^^^^^^^^ def index idx_users
CREATE INDEX ON users (id);
-- Adds.
CREATE FUNCTION add_one(a INT) RETURNS INT AS $body$
--              ^^^^^^^ def function add_one
BEGIN
  CREATE TABLE inner_table (x INT);
  RETURN a + 1;
END;
$body$ LANGUAGE plpgsql;
CREATE TYPE mood AS ENUM ('happy', 'sad');
--          ^^^^ def type mood
--                         ^^^^^ def enum_member mood.happy
CREATE TRIGGER touch BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_one();
--             ^^^^^ def trigger touch
/* CREATE TABLE no (a INT); */
INSERT INTO users VALUES ('CREATE TABLE no (b INT);');
DELIMITER //
CREATE DEFINER=`root`@`%` PROCEDURE refill(IN n INT)
--                                  ^^^^^^ def function refill
BEGIN
  IF n > 0 THEN
    UPDATE users SET kind = CASE WHEN n = 1 THEN 2 ELSE 3 END;
  END IF;
  SELECT 1;
END //
DELIMITER ;
GO
CREATE PROC [dbo].[Find Users] @name NVARCHAR(50) AS
--                 ^^^^^^^^^^ def function Find Users
SELECT * FROM users
GO
create table last_one (größe int)
--           ^^^^^^^^ def table last_one
--                     ^^^^^ def column last_one.größe
GO
-- Since the second release.
ALTER TABLE [dbo].[users] ADD COLUMN IF NOT EXISTS born date, ADD CONSTRAINT k CHECK (born > 0), DROP COLUMN age,
--                                                 ^^^^ def column born
  ADD "full name" varchar(10, 2);
--     ^^^^^^^^^ def column full name
ALTER TABLE users ADD PRIMARY KEY (id);
