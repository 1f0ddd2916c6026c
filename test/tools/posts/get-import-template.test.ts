import { expect } from 'vitest';
import { it, type Json } from '../../harness/world.ts';
import { disguise } from '../../harness/worlds/post-stage.ts';

it('get_import_template gives a file that names the accounts of the caller, and import_posts takes it', async ({
  world,
}) => {
  const [alice, bob, shop] = [await world.connect(0), await world.connect(1), await world.connect(2)];
  await disguise(world, shop.id);
  const read = (key = world.key) => world.rest('GET /v1/posts/import/template', undefined, { key });
  const { status, headers, body } = await read();
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="posts.csv"',
  ]);
  const header = 'text,title,media,account_ids,scheduled_at,visibility,first_comment,platform_data,board_id';
  const row = ({ username }: Json) => `,,,bluesky:${username},,,,,`;
  expect(body.split('\r\n')).toEqual([header, row(alice), row(bob), '']);

  const send = async (text: string) => {
    const form = new FormData();
    form.set('file', new Blob([text]), 'posts.csv');
    return (await world.rest('POST /v1/posts/import', form)).body;
  };
  expect(await send(body)).toMatchObject({ created: 0, failed: 2 });
  const filled = await send(body.replace(row(alice), `Hello${row(alice)}`).replace(row(bob), `Hi${row(bob)}`));
  expect(filled).toMatchObject({ encoding: 'utf-8', created: 2, failed: 0 });
  expect(filled.posts.map(({ targets }: Json) => targets[0].account_id)).toEqual([alice.id, bob.id]);

  const own = await world.newKey({ brand_ids: [bob.brand_id] });
  expect((await read(own)).body.split('\r\n')).toEqual([header, row(bob), '']);
  expect((await read((await world.stranger()).key)).body.split('\r\n')).toEqual([header, '']);
  const reader = await world.newKey({ scopes: ['posts:read'] });
  const refused = await read(reader);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'auth.insufficient_scope']);
  await world.product.store.write(({ db }) =>
    db.updateTable('accounts').set({ username: alice.username }).where('id', '=', bob.id).execute(),
  );
  expect((await read()).body.split('\r\n').slice(1, 3)).toEqual([`,,,${alice.id},,,,,`, `,,,${bob.id},,,,,`]);
});

it('get_import_template names by its id whatever account import_posts would not find by its name', async ({
  world,
}) => {
  const { id } = await world.connect(0);
  const rename = (username: string) =>
    world.product.store.write(({ db }) => db.updateTable('accounts').set({ username }).where('id', '=', id).execute());
  for (const username of ['Ann Lee | Marketing', '@ann', 'Ann ', 'x'.repeat(121), 'Ann\nLee']) {
    await rename(username);
    const { body } = await world.rest('GET /v1/posts/import/template');
    expect([username, body.split('\r\n')[1]]).toEqual([username, `,,,${id},,,,,`]);
  }
  await rename('Ann Lee, Marketing');
  const { body } = await world.rest('GET /v1/posts/import/template');
  const form = new FormData();
  form.set('file', new Blob([body.replace('\r\n,', '\r\nHello,')]), 'posts.csv');
  const { posts } = (await world.rest('POST /v1/posts/import', form)).body;
  expect(posts.map(({ targets }: Json) => targets[0].account_id)).toEqual([id]);
});
