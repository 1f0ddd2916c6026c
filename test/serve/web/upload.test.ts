import { describe, expect } from 'vitest';
import { call, callMcp, callThrough, DOORS, INVALID, onFreePlan } from '../../harness/calls/operations.ts';
import { gif, png } from '../../harness/media-samples.ts';
import { it, type Json, type World } from '../../harness/world.ts';

type Page = Readonly<{ status: number; headers: Headers; text: string; words: string }>;

const wordsOf = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

async function pageOf(answer: Promise<Response>): Promise<Page> {
  const { status, headers, ...body } = await answer.then(async (one) => ({
    status: one.status,
    headers: one.headers,
    text: await one.text(),
  }));
  return { status, headers, text: body.text, words: wordsOf(body.text) };
}

const open = (url: string) => pageOf(fetch(url));

/** Sends the form of the page as a browser without a script does. */
function choose(url: string, bytes: Buffer<ArrayBuffer>, filename = 'IMG_1.png'): Promise<Page> {
  const body = new FormData();
  body.set('file', new Blob([bytes]), filename);
  return pageOf(fetch(url, { method: 'POST', body }));
}

async function asked(world: World, more: object = {}): Promise<Json> {
  const input = { media_type: 'image/png', filename: 'menu.png', ...more };
  return (await call(world, 'get_media_upload_url', input)).body;
}

describe('the upload page', () => {
  it('takes the file that a person chooses, says so, and leaves it for the caller to verify', async ({ world }) => {
    const { media_id, upload_page, upload_url } = await asked(world);
    expect(upload_page).toBe(upload_url);
    const page = await open(upload_page);
    expect(page.words).toMatch(/Called menu\.png Kind PNG At most 1 GB Until Thu,? 15 Jan 2026, 09:15 \(UTC\)/);
    expect(page.text).toMatch(/<form[^>]*enctype="multipart\/form-data"[^>]*>/);
    expect(page.text).toMatch(/<input[^>]*type="file"[^>]*accept="image\/png,\.png"/);
    const done = await choose(upload_page, png());
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('The file has arrived')]);
    expect((await open(upload_page)).words).toContain('menu.png is uploaded');
    const verified = await call(world, 'verify_media_upload', { media_id });
    expect(verified.body).toMatchObject({ status: 'ready', content_type: 'image/png', filename: 'menu.png' });
    expect((await open(upload_page)).words).toContain('The file has arrived');
    expect((await choose(upload_page, png())).words).toContain('The file has arrived');
  });

  it('runs no script but its own, which is served, and sends nothing elsewhere', async ({ world }) => {
    const { upload_page } = await asked(world);
    const { headers, text } = await open(upload_page);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self'; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const [, src] = /<script src="([^"]*)" defer><\/script>/.exec(text)!;
    const script = await fetch(new URL(src!, world.root));
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.headers.get('cache-control')).toContain('immutable');
  });

  it('says what is wrong with a file, and takes the next one', async ({ world }) => {
    const { upload_page } = await asked(world, { size_bytes: 200 });
    const wrong = await choose(upload_page, gif());
    expect([wrong.status, wrong.words]).toEqual([
      400,
      expect.stringContaining('The bytes are image/gif. Choose another one, or ask for a link that takes it.'),
    ]);
    expect(wrong.words).not.toContain('get_media_upload_url');
    const large = await choose(upload_page, png(3, 2, 500));
    expect([large.status, large.words]).toEqual([413, expect.stringContaining('The file is larger than 200 bytes.')]);
    const none = await choose(upload_page, Buffer.alloc(0), '');
    expect([none.status, none.words]).toEqual([400, expect.stringContaining('Choose one first.')]);
    expect((await choose(upload_page, png())).words).toContain('The file has arrived');
  });

  it('says that the plan has no room for it', async ({ world }) => {
    const { upload_page } = await asked(world);
    await onFreePlan(world);
    await world.product.store.write(({ db }) =>
      db.updateTable('workspaces').set({ storage_bytes: 104_857_599 }).execute(),
    );
    const full = await choose(upload_page, png());
    expect([full.status, full.words]).toEqual([413, expect.stringContaining('Tell whoever gave you this link.')]);
  });

  it('takes the files of two people at once on a plan whose room is smaller than one may be', async ({ world }) => {
    const [one, two] = [await asked(world), await asked(world)];
    await onFreePlan(world);
    const pages = await Promise.all([one, two].map(({ upload_page }) => choose(upload_page, png(3, 2, 2_000_000))));
    for (const { status, words } of pages) {
      expect([status, words]).toEqual([200, expect.stringContaining('The file has arrived')]);
    }
  });

  it('says that it has expired, is not ours, or is for nothing any more', async ({ world }) => {
    const { upload_page, media_id } = await asked(world);
    const forged = await open(`${upload_page.slice(0, -3)}xyz`);
    expect([forged.status, forged.words]).toEqual([403, expect.stringContaining('The address may be incomplete')]);
    const other = await asked(world);
    await call(world, 'delete_media', { media_id: other.media_id });
    const deleted = await open(other.upload_page);
    expect([deleted.status, deleted.words]).toEqual([404, expect.stringContaining('has been deleted')]);
    world.clock.move(15 * 60_000);
    const late = await open(upload_page);
    expect([late.status, late.words]).toEqual([410, expect.stringContaining('This link has expired')]);
    expect(late.text).not.toContain('<form');
    expect((await choose(upload_page, png())).words).toContain('This link has expired');
    expect((await call(world, 'verify_media_upload', { media_id })).code).toBe('media.not_ready');
  });
});

const WAY_IN = /get_media_upload_url.*upload_page/;

describe.each(DOORS)('through %s', (via) => {
  it.for(['/Users/anna/menu.png', 'file:///tmp/menu.png', 'C:\\menu.png', 'data:image/png;base64,iVBORw0KGgo='])(
    '%s as media is refused with the way in',
    async (source, { shared: world }) => {
      for (const [name, input] of [
        ['create_post', { text: 'x', media: [{ source, source_type: 'url' }] }],
        ['create_post', { text: 'x', media_ids: [source] }],
        ['upload_media', { url: source }],
      ] as const) {
        const { ok, body } = await callThrough(world, via, name, input);
        expect([name, ok, body.error.message]).toEqual([name, false, expect.stringMatching(WAY_IN)]);
      }
    },
  );
});

it.for([2_200_000, 3_140_000])('%i bytes of base64 are refused with the way in', async (size, { shared: world }) => {
  const { code, body } = await callMcp(world, 'upload_media', { base64: png(3, 2, size).toString('base64') });
  expect([code, body.error.message]).toEqual([INVALID, expect.stringMatching(WAY_IN)]);
});
