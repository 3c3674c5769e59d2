-- From a sweep's CSV to statements that make the table runs: numbers are numbers, empty cells NULL, axes have indices.
--   sqlite3 :memory: '.import --csv sweep.csv text' '.read tools/sweep.sql' | sqlite3 sweep.db
.bail on
.mode list
SELECT 'BEGIN; DROP TABLE IF EXISTS runs; CREATE TABLE runs ('
    -- NUMERIC keeps text that is no number; an id such as 12e4567890123456 would be one
    || group_concat(printf('"%w" %s', name, iif(name = 'run_id', 'TEXT', 'NUMERIC'))) || ');'
FROM pragma_table_info('text');
.mode insert runs
SELECT * FROM text;
.mode list
SELECT printf('UPDATE runs SET "%w" = NULL WHERE "%w" = '''';', name, name) FROM pragma_table_info('text');
-- the axes are the columns between run_id and policy
SELECT printf('CREATE INDEX "runs by %w" ON runs ("%w");', name, name) FROM pragma_table_info('text')
WHERE cid > 0 AND cid < (SELECT cid FROM pragma_table_info('text') WHERE name = 'policy');
SELECT 'COMMIT;';
