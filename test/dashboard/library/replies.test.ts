import { describe, expect, it } from 'vitest';
import { beginningOf, filledFor, found, sorted } from '#dashboard/lib/replies/saved.ts';
import { makeReplies } from '#dashboard/replies/model.ts';
import { answering, anEvent, aRefusal } from '../answers.ts';

const aReply = (id: string, name: string, text = 'Hello') => ({ id, name, text, brand_id: null }) as any;

function open(first: readonly any[], answers: Parameters<typeof answering>[0] = {}) {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const { call, calls } = answering(answers);
  const model = makeReplies({
    call,
    first,
    newKey: () => 'pressed',
    later: (run) => void waiting.push(run),
    say: (text) => void said.push(text),
  });
  const names = () => model.shown.value.map(({ name }) => name);
  return { model, calls, said, names, settle: () => waiting.splice(0).at(-1)?.() };
}

describe('the text of a saved reply', () => {
  it.for([
    ['Hello {first_name}, yes.', 'Mia Message', 'Hello Mia, yes.'],
    ['{name}: {name}', ' Mia  Message ', 'Mia  Message: Mia  Message'],
    ['Hello {first_name}, yes.', undefined, 'Hello, yes.'],
    ['Hello {name}!', '', 'Hello!'],
    ['{place} and {name', 'Mia', '{place} and {name'],
    ['{name}', '$& {first_name}', '$& {first_name}'],
  ] as const)('%s for %s is %s', ([text, person, filled]) => {
    expect(filledFor(text, person)).toBe(filled);
  });
});

it('the text of a saved reply is known by its beginning, which ends with a whole sign', () => {
  expect([beginningOf('a'.repeat(200)), beginningOf(`${'a'.repeat(199)}😀`)]).toEqual([
    'a'.repeat(200),
    `${'a'.repeat(199)}…`,
  ]);
});

describe('saved replies', () => {
  it('are found by their words, in their name first, whatever the case and the accents', () => {
    const all = sorted([aReply('a', 'Zoo 10'), aReply('b', 'zoo 9', 'Le café'), aReply('c', 'Café', 'zoo')]);
    const ids = (typed: string) => found(all, typed).map(({ id }) => id);
    expect([ids(''), ids('zoo'), ids('CAFE'), ids('zoo cafe'), ids('none')]).toEqual([
      ['c', 'b', 'a'],
      ['b', 'a', 'c'],
      ['c', 'b'],
      ['c', 'b'],
      [],
    ]);
  });

  it('are written, searched, changed and deleted once somebody said so', async () => {
    const { model, names, said, calls } = open([aReply('b', 'Parking')], {
      create_saved_reply: (input) => ({ id: 'a', ...input }),
      update_saved_reply: ({ saved_reply_id: id, ...input }) => ({ id, ...input }),
      delete_saved_reply({ saved_reply_id }) {
        if (saved_reply_id === 'b') throw aRefusal('Gone.', 404);
        return { success: true, ok: true, id: saved_reply_id };
      },
    });
    const written = { name: 'Hours', text: 'From 8.', brand_id: null };
    model.search('park');
    expect(await model.create(written)).toBe(true);
    expect([names(), calls[0]]).toEqual([
      ['Hours', 'Parking'],
      ['create_saved_reply', written, 'pressed'],
    ]);
    model.edit('a');
    expect(await model.change('a', { ...written, name: 'Times' })).toBe(true);
    expect([names(), model.isEdited('a')]).toEqual([['Parking', 'Times'], false]);
    for (const one of model.shown.value) await model.remove(one);
    expect(names()).toEqual([]);
    expect(said).toEqual(['Hours is saved.', 'Times is saved.', 'Parking is deleted.', 'Times is deleted.']);
  });

  it('stay as they are while they are written, where the server refuses', async () => {
    const { model, said, names } = open([aReply('a', 'Hours')], {
      update_saved_reply() {
        throw aRefusal('Too long.');
      },
    });
    model.edit('a');
    expect(await model.change('a', { name: 'Times', text: 'x', brand_id: null })).toBe(false);
    expect([names(), model.isEdited('a'), said]).toEqual([['Hours'], true, ['Too long.']]);
  });

  it('stay while they are edited: beside each other, whatever is searched for, and after others deleted them', async () => {
    const { model, said, names, settle } = open([aReply('a', 'Hours'), aReply('b', 'Parking'), aReply('c', 'Prices')], {
      list_saved_replies: () => ({ data: [aReply('c', 'Prices')] }),
      update_saved_reply() {
        throw aRefusal('It is gone.', 404);
      },
    });
    model.edit('a');
    model.edit('b');
    model.search('prices');
    expect([names(), model.hits.value.length]).toEqual([['Prices', 'Hours', 'Parking'], 1]);
    model.leave('b');
    expect(names()).toEqual(['Prices', 'Hours']);
    model.heard(anEvent({ category: 'api', action: 'saved_reply_deleted' }));
    settle();
    await expect.poll(() => model.count.value).toBe(2);
    expect(names()).toEqual(['Prices', 'Hours']);
    expect(await model.change('a', { name: 'Times', text: 'x', brand_id: null })).toBe(false);
    expect([names(), said]).toEqual([['Prices', 'Hours'], ['It is gone.']]);
    model.leave('a');
    model.search('');
    expect(names()).toEqual(['Prices']);
  });

  it('are read again when somebody else changes them', async () => {
    const { model, names, settle } = open([aReply('a', 'Hours')], {
      list_saved_replies: () => ({ data: [aReply('b', 'Parking')] }),
    });
    model.heard(anEvent({ category: 'api', action: 'key_created' }));
    settle();
    expect(names()).toEqual(['Hours']);
    model.heard(anEvent({ category: 'api', action: 'saved_reply_changed' }));
    settle();
    await expect.poll(names).toEqual(['Parking']);
  });
});
