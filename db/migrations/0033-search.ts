import { sql, type Kysely } from 'kysely';
import { createTable, type Dialect } from './table.ts';

/** The words of what people write, in the database's own full-text index; what is stored already is added by a job. */
export const search = Object.freeze({
  version: 33,
  name: 'search',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    await createTable(db, dialect, 'inbox_words', {
      columns: {
        // Rises with the time, because the index of SQLite answers in its order.
        id: 'int',
        workspace_id: 'id > workspaces',
        account_id: 'id',
        kind: 'key',
        item: 'key',
        words: 'text',
      },
      primary: dialect === 'sqlite' ? ['id'] : ['account_id', 'kind', 'item'],
      ...(dialect === 'sqlite' && { unique: [['account_id', 'kind', 'item']] }),
      indexes: {
        inbox_words_workspace: '(workspace_id)',
        ...(dialect === 'postgres' && { inbox_words_newest: '(id)' }),
      },
    });
    await createTable(db, dialect, 'inbox_unread_words', {
      columns: { kind: 'key', account_id: 'id', item: 'key' },
      primary: ['kind'],
    });
    for (const statement of INDEX[dialect]) await sql.raw(statement).execute(db);
    for (const table of ['messages', 'comments', 'mentions', 'reviews']) await begin(db, table);
  },
});

const gone = "insert into inbox_word_index (inbox_word_index, rowid, words) values ('delete', old.id, old.words);";
const added = 'insert into inbox_word_index (rowid, words) values (new.id, new.words);';

const INDEX: Readonly<Record<Dialect, readonly string[]>> = Object.freeze({
  sqlite: [
    // The words are separated and folded already, so that both databases find the same.
    `create virtual table inbox_word_index using fts5
      (words, content = 'inbox_words', content_rowid = 'id', tokenize = 'ascii', detail = none, columnsize = 0)`,
    `create trigger inbox_words_added after insert on inbox_words begin ${added} end`,
    `create trigger inbox_words_removed after delete on inbox_words begin ${gone} end`,
    `create trigger inbox_words_changed after update of words on inbox_words begin ${gone} ${added} end`,
  ],
  postgres: [
    `alter table inbox_words add column vector tsvector
      generated always as (array_to_tsvector(string_to_array(words, ' '))) stored`,
    'create index inbox_words_vector on inbox_words using gin (vector)',
  ],
});

/** What was stored before is read from its beginning on, by a job. */
async function begin(db: Kysely<never>, table: string): Promise<void> {
  await sql`insert into inbox_unread_words (kind, account_id, item)
    select ${sql.lit(table)}, '', '' where exists (select 1 from ${sql.table(table)})`.execute(db);
  await sql`insert into jobs (id, kind, key, payload, run_at, created_at)
    select ${sql.lit(`job_words_${table}`)}, 'read_words', ${sql.lit(table)}, '{}', 0, 0
    where exists (select 1 from ${sql.table(table)})`.execute(db);
}
