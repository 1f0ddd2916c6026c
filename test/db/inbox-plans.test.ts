import type { CompiledQuery } from 'kysely';
import { type Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builderOn } from '../../db/store/builder.ts';
import { countComments } from '../../db/inbox/comments.ts';
import { eraseTraces } from '../../db/inbox/purge.ts';
import { moveStatus } from '../../db/inbox/messages.ts';
import type { Database } from '../../db/schema/database.ts';
import { bindings, openImage, type Handle } from '../../db/store/sqlite-handle.ts';
import { migratedImage } from '../harness/stores/images.ts';

let handle: Handle;
beforeAll(async () => void (handle = openImage(await migratedImage())));
afterAll(() => handle.close());

/** How SQLite would search for the rows of each statement that a query function makes. */
async function searchesOf(ask: (db: Kysely<Database>) => Promise<unknown>): Promise<readonly string[]> {
  const asked: CompiledQuery[] = [];
  const db = builderOn<Database>('sqlite', async (query) => {
    asked.push(query);
    return { rows: [{ n: 0, id: 'log_1', created_at: 1, metadata: '{"event_id":"evt_1"}' }] };
  });
  await ask(db);
  return asked.map(({ sql, parameters }) => {
    const steps = handle.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(bindings(parameters));
    const found = steps.map(({ detail }) => detail).filter((step) => !/json_each|^LIST SUBQUERY/.test(step));
    return found.join('; ');
  });
}

const conversation = { id: 'conv_1', account_id: 'acc_1' };
const move = { from: ['sent', 'delivered'], to: 'read', at: 1, ids: ['m1'], until: 9 } as const;

it('what is done while an account is held does not grow with its posts and conversations', async () => {
  expect(await searchesOf((db) => moveStatus(db, 'sqlite', conversation, move))).toEqual([
    'SEARCH messages USING INDEX sqlite_autoindex_messages_1 (account_id=? AND platform_id=?)',
    'SEARCH messages USING INDEX messages_unread (conversation_id=? AND status=? AND created_at<?)',
  ]);
  expect(await searchesOf((db) => countComments(db, 'acc_1', 'post-1'))).toEqual([
    'SEARCH comments USING COVERING INDEX comments_post (account_id=? AND platform_post_id=? AND gone_at=?)',
  ]);
});

it('what was reported of an account is found without a look at the rest', async () => {
  const gone = { id: 'acc_1', workspace_id: 'ws_1', told: 'evt_9' };
  const after = { at: 1, id: 'log_1' };
  expect(await searchesOf((db) => eraseTraces(db, 'sqlite', gone, after, 10))).toEqual([
    'SEARCH log USING INDEX log_account (workspace_id=? AND account_id=? AND (created_at,id)>(?,?))',
    'SEARCH events USING COVERING INDEX sqlite_autoindex_events_1 (id=?)',
    'SEARCH log USING COVERING INDEX sqlite_autoindex_log_1 (id=?)',
  ]);
});
