import { sql } from 'kysely';
import type { Migration } from '#db/migrate/migrate.ts';

const run = (text: string) => sql.raw(text);

/**
 * A parent with children that go with it, and the rebuild of that parent the way SQLite needs it for most changes.
 * `middle` runs between the drop and the renaming.
 */
export function rebuild(middle: () => Promise<void> = async () => {}): readonly Migration[] {
  return [
    {
      version: 1,
      name: 'family',
      async up(db) {
        await run('create table parents (id text primary key, name text)').execute(db);
        await run(
          'create table children (id text primary key, parent text references parents (id) on delete cascade)',
        ).execute(db);
        await run("insert into parents values ('p', 'old')").execute(db);
        await run("insert into children values ('c', 'p')").execute(db);
      },
    },
    {
      version: 2,
      name: 'rebuild',
      async up(db, dialect) {
        if (dialect === 'postgres') {
          await run('alter table parents add column age bigint').execute(db);
          return middle();
        }
        await run('create table new_parents (id text primary key, name text, age integer)').execute(db);
        await run('insert into new_parents (id, name) select id, name from parents').execute(db);
        await run('drop table parents').execute(db);
        await middle();
        await run('alter table new_parents rename to parents').execute(db);
      },
    },
  ];
}
