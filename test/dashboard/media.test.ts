import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { makeMedia } from '#dashboard/media/model.ts';
import { sizeOf } from '#kernel/people/size.ts';
import { answering, aRefusal } from './answers.ts';

const listOf = (ids: readonly string[], next = '') =>
  ({
    data: ids.map((id) => ({ id, filename: `${id}.png` })),
    next_cursor: next,
    pagination: { has_more: next !== '', next_cursor: next },
  }) as any;
const storage = { used_bytes: 1, limit_bytes: -1, count: 1 };

type Send = Parameters<typeof makeMedia>[0]['send'];
const sent = (arrived: Promise<unknown>) => ({ arrived, cancel() {} }) as ReturnType<Send>;

function open(answers: Parameters<typeof answering>[0], send: Send = () => sent(Promise.resolve({ id: 'new' }))) {
  const said: string[] = [];
  const links: string[] = [];
  let keys = 0;
  const { call, calls } = answering({ get_storage_usage: () => ({ ...storage, count: 2 }), ...answers });
  const model = makeMedia({
    call,
    send,
    input: { limit: 2 },
    first: listOf(['a', 'b'], 'next'),
    storage,
    newKey: () => `key ${++keys}`,
    say(text, how) {
      said.push(text);
      if (how?.link !== undefined) links.push(how.link.href);
    },
  });
  return { model, calls, said, links, ids: () => model.items.value.map(({ id }) => id) };
}

describe('media', () => {
  it('are listed page by page, each once', async () => {
    const { model, ids } = open({ list_media: () => listOf(['b', 'c']) });
    await model.more();
    expect([ids(), model.hasMore.value]).toEqual([['a', 'b', 'c'], false]);
  });

  it('are uploaded with their progress, and stand first', async () => {
    const shares: number[] = [];
    const { model, ids, said } = open({}, (_file, _key, onShare) => {
      const arriving = Promise.resolve().then(() => {
        onShare(0.5);
        shares.push(model.uploads.value[0]!.share);
        return { id: 'new' };
      });
      return sent(arriving);
    });
    await model.upload([new File(['x'], 'new.png', { type: 'image/png' })]);
    expect([shares, ids(), model.uploads.value, model.storage.value.count]).toEqual([[0.5], ['new', 'a', 'b'], [], 2]);
    expect(said).toEqual(['new.png is there.']);
  });

  it('wait for each other in sight, and one that waits can be cancelled', async () => {
    const first = Promise.withResolvers<unknown>();
    const begun: string[] = [];
    const { model, said } = open({}, ({ name }) => {
      begun.push(name);
      return sent(name === 'a.png' ? first.promise : Promise.resolve({ id: name }));
    });
    const uploading = model.upload(['a.png', 'b.png', 'c.png'].map((name) => new File(['x'], name)));
    expect([begun, model.uploads.value.map(({ file }) => file.name)]).toEqual([['a.png'], ['a.png', 'b.png', 'c.png']]);
    expect(model.isSending()).toBe(true);
    model.uploads.value[1]!.cancel();
    first.resolve({ id: 'a' });
    await uploading;
    expect(model.isSending()).toBe(false);
    expect([begun, said]).toEqual([
      ['a.png', 'c.png'],
      ['a.png is there.', 'c.png is there.'],
    ]);
  });

  it('that did not arrive say why, and are tried again or given up', async () => {
    let fails = true;
    const used: string[] = [];
    const { model, ids } = open({}, (_file, key) => {
      used.push(key);
      return sent(fails ? Promise.reject(new Error('The storage is full.')) : Promise.resolve({ id: 'new' }));
    });
    await model.upload([new File(['x'], 'new.png')]);
    expect([model.uploads.value[0]!.problem, model.isSending()]).toEqual(['The storage is full.', false]);
    fails = false;
    await model.tryAgain(model.uploads.value[0]!);
    expect([ids()[0], model.uploads.value]).toEqual(['new', []]);
    // With the same key, since the first may have been stored.
    expect(used).toEqual(['key 1', 'key 1']);
  });

  it('that were refused are tried again with a new key, since the refusal would be repeated', async () => {
    const used: string[] = [];
    const { model } = open({}, (_file, key) => {
      used.push(key);
      return sent(Promise.reject(aRefusal('The storage is full.')));
    });
    await model.upload([new File(['x'], 'new.png')]);
    await model.tryAgain(model.uploads.value[0]!);
    expect(used).toEqual(['key 1', 'key 2']);
  });

  it('are deleted, unless a post uses them', async () => {
    let used = true;
    const { model, ids, said, links } = open({
      delete_media() {
        if (used) throw new RefusedError(409, { code: 'media.in_use', message: 'Used.', request_id: 'r' });
        return {};
      },
    });
    await model.remove(model.items.value[0]!);
    expect([ids(), said]).toEqual([['a', 'b'], ['a.png stays: a post uses it.']]);
    expect(links).toEqual(['/dashboard/posts?media=a']);
    used = false;
    await model.remove(model.items.value[0]!);
    expect(ids()).toEqual(['b']);
  });

  it('have sizes that people read', () => {
    expect([0, 1023, 1536, 52_428_800, 5 * 1024 ** 4].map(sizeOf)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.5 KB',
      '50 MB',
      '5 TB',
    ]);
  });
});
