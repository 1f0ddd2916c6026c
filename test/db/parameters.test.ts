import { expect, it } from 'vitest';
import { ownPost } from '#db/posts/posts.ts';
import { targetsOf } from '#db/posts/targets.ts';
import { builderOn } from '#db/store/builder.ts';
import type { Dialect } from '#db/store/dialect.ts';
import type { Database } from '#db/schema/database.ts';

const on = (dialect: Dialect) => builderOn<Database>(dialect, async () => ({ rows: [] }));

it('SQLite is shown no value that it would compile a statement anew for', () => {
  const db = on('sqlite');
  const statements = [
    ownPost(db, { workspace: 'ws', id: 'post' }).limit(2),
    targetsOf(db, { postId: 'post' }),
    db.updateTable('posts').set({ text: 'a' }).where('id', 'in', ['b', 'c']),
  ].map((query) => query.compile());
  for (const { sql, parameters } of statements) {
    expect(sql.match(/\+\?/g)).toHaveLength(parameters.length);
    expect(sql.match(/\?/g)).toHaveLength(parameters.length);
  }
});

it('PostgreSQL gets its parameters by number', () => {
  expect(targetsOf(on('postgres'), { postId: 'post' }).compile().sql).toContain('= $1 ');
});
