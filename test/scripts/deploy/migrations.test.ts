import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findBreakingStatements } from '../../../scripts/operate/deploy/migrations.ts'
import { findTouchedTables } from '../../../scripts/operate/deploy/outage.ts'

it.each([
  'DROP TABLE `users`;',
  'DROP VIEW guard;',
  'DROP TRIGGER guard_fails;',
  'ALTER TABLE `users` DROP COLUMN `name`;',
  'alter table users rename column name to title;',
  'ALTER TABLE `__new_users` RENAME TO `users`;',
  'ALTER TABLE `users` ADD `rank` integer NOT NULL;',
  'ALTER TABLE `users` ADD COLUMN\n  `rank` integer NOT NULL REFERENCES ranks(id);',
])('finds that a running Worker would notice %j', (sql) => {
  expect(findBreakingStatements(`CREATE TABLE x (id integer);\n-- why\n${sql}`)).toEqual([
    { line: 3, text: sql.split('\n')[0] },
  ])
})

it.each([
  'CREATE TABLE `ranks` (`id` integer NOT NULL);',
  'ALTER TABLE `users` ADD `rank` integer;',
  'ALTER TABLE `users` ADD `rank` integer DEFAULT 0 NOT NULL;',
  'DROP INDEX `users_email`;',
  "UPDATE users SET name = 'DROP TABLE users';",
  'CREATE TABLE "rename" (id integer); -- DROP TABLE x',
])('lets %j pass', (sql) => {
  expect(findBreakingStatements(sql)).toEqual([])
})

it('finds each statement between the marks of drizzle-kit', () => {
  const sql =
    'CREATE TABLE `__new_x` (`id` integer);--> statement-breakpoint\nDROP TABLE `x`;--> statement-breakpoint\nALTER TABLE `__new_x` RENAME TO `x`;'
  expect(findBreakingStatements(sql).map(({ line }) => line)).toEqual([2, 3])
})

it('lets a statement pass that a comment before it allows, and no other', () => {
  const sql =
    '-- compatible: no version since May reads it\nDROP TABLE x;\n-- compatible:\nDROP TABLE y;'
  expect(findBreakingStatements(sql)).toEqual([{ line: 4, text: 'DROP TABLE y;' }])
})

it('finds the tables that a migration indexes, changes or copies', () => {
  const sql = `CREATE UNIQUE INDEX \`i\` ON \`orders\` (\`id\`);
    ALTER TABLE \`nfts\` ADD \`x\` text; -- UPDATE a
    INSERT INTO "__new_users" SELECT * FROM users; UPDATE events SET type = 'DELETE FROM b';
    CREATE TRIGGER t AFTER INSERT ON tokens BEGIN UPDATE c SET d = 1; END;`
  expect(findTouchedTables(sql)).toEqual(['orders', 'nfts', '__new_users', 'users', 'events'])
  const guarded =
    'CREATE INDEX IF NOT EXISTS i ON a (x); DROP TABLE IF EXISTS b; UPDATE OR IGNORE c SET x = 1;'
  expect(findTouchedTables(guarded)).toEqual(['a', 'b', 'c'])
})

it('finds nothing in the migrations of a new database', () => {
  const found = globSync('migrations/000{0,1}_*.sql').map((file) =>
    findBreakingStatements(readFileSync(file, 'utf8')),
  )
  expect(found).toEqual([[], []])
})

describe.each(globSync('migrations/*.sql'))('%s can be split in simple ways:', (file) => {
  const text = readFileSync(file, 'utf8')

  it('its lines end with LF', () => {
    expect(text).not.toContain('\r')
  })

  it('its comments have no quotes, backticks and semicolons', () => {
    expect(text.split('\n').filter((line) => /^\s*--.*['"`;]/.test(line))).toEqual([])
    // A comment after code would hide from the check above.
    expect(text.split('\n').filter((line) => /^[^'"]*\S.*--(?!> )/.test(line))).toEqual([])
  })

  it('each of its triggers is one line', () => {
    const lines = text.split('\n').filter((line) => /\bTRIGGER\b|^\s*(BEGIN|END)\b/.test(line))
    for (const line of lines) expect(line).toMatch(/^CREATE TRIGGER .* BEGIN .*; END;$/)
  })
})
