import { describe, expect, it } from 'vitest';
import type { Bubble } from '#platforms/messages.ts';
import { messages } from '#platforms/whatsapp/messages.ts';
import { opened } from '../../harness/opened.ts';
import { lost, NOW, ok } from '../../harness/platforms/script.ts';
import { graphOf, NUMBER, refusal } from '../../harness/platforms/whatsapp-samples.ts';

const SEND = `POST /${NUMBER}/messages`;
const UPLOAD = `POST /${NUMBER}/media`;
const accepted = ok({
  messaging_product: 'whatsapp',
  contacts: [{ input: '15551234567', wa_id: '15551234567' }],
  messages: [{ id: 'wamid.1', message_status: 'accepted' }],
});
const conversation = { platform_id: '15551234567', participant: { id: '15551234567', name: 'Ann' } };
const text = (more: Partial<Extract<Bubble, { kind: 'text' }>> = {}): Bubble => ({ kind: 'text', text: 'Hi', ...more });
const attachment = (more: Partial<Extract<Bubble, { kind: 'attachment' }>>): Bubble => ({
  kind: 'attachment',
  type: 'image',
  ...more,
});

const { bubble: bubbles, locate, seen } = messages;

async function send(graph: ReturnType<typeof graphOf>, bubble: Bubble, to: object = {}, type = 'image/png') {
  const call = { ...graph.acting, open: async () => opened(Buffer.from('bytes'), type) };
  const ask = { conversation: { ...conversation, ...to }, bubble };
  const prepared = await bubbles.prepare!(call, ask);
  return bubbles.send(call, ask, { prepared, correlationId: 'snd_1.0', sentAt: NOW });
}
const bodyOf = async (bubble: Bubble, to: object = {}): Promise<unknown> => {
  const graph = graphOf({ [SEND]: accepted });
  await send(graph, bubble, to);
  return graph.asked.at(-1)!.body;
};
const ENVELOPE = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '15551234567',
  biz_opaque_callback_data: 'snd_1.0',
};

describe('a message', () => {
  it('goes to the number, with our mark, which alone settles it', async () => {
    const graph = graphOf({ [SEND]: accepted });
    expect(await send(graph, text({ text: 'half \ud83d' }))).toEqual({ message_id: 'wamid.1' });
    expect(graph.asked[0]!.request.headers).toMatchObject({ authorization: 'Bearer TOKEN' });
    expect(graph.asked[0]!.body).toEqual({
      ...ENVELOPE,
      type: 'text',
      text: { body: 'half \ufffd', preview_url: true },
    });
    expect([bubbles.settle, bubbles.idempotent]).toEqual([undefined, undefined]);
  });

  it('goes to the id of a person who hides their number, and to the number where it is known', async () => {
    const hidden = { platform_id: 'US.13491208655302741918' };
    const { to: _, ...nobody } = ENVELOPE;
    expect(await bodyOf(text(), hidden)).toMatchObject({ ...nobody, recipient: 'US.13491208655302741918' });
    expect(await bodyOf(text(), hidden)).not.toHaveProperty('to');
    const known = await bodyOf(text(), { ...hidden, metadata: { wa_id: '15551234567' } });
    expect(known).toMatchObject(ENVELOPE);
    expect(known).not.toHaveProperty('recipient');
  });

  const button = (id: string, title: string) => ({ type: 'reply', reply: { id, title } });
  it.each([
    [
      text({ buttons: [{ type: 'postback', title: 'Yes', payload: 'Y' }] }),
      { type: 'button', body: { text: 'Hi' }, action: { buttons: [button('Y', 'Yes')] } },
    ],
    [
      text({ quick_replies: [{ title: 'Yes', payload: 'Y' }, { title: 'No' }] }),
      { type: 'button', body: { text: 'Hi' }, action: { buttons: [button('Y', 'Yes'), button('No', 'No')] } },
    ],
    [
      text({ list: { button: 'Breads', sections: [{ title: 'Dark', rows: [{ id: 'r', title: 'Rye' }] }] } }),
      {
        type: 'list',
        body: { text: 'Hi' },
        action: { button: 'Breads', sections: [{ title: 'Dark', rows: [{ id: 'r', title: 'Rye' }] }] },
      },
    ],
  ])('shows what may be tapped %#', async (bubble, interactive) => {
    expect(await bodyOf(bubble)).toEqual({ ...ENVELOPE, type: 'interactive', interactive });
  });

  it.each([
    [
      attachment({ url: 'https://a.example/a.jpg', caption: 'Look' }),
      { type: 'image', image: { link: 'https://a.example/a.jpg', caption: 'Look' } },
    ],
    [
      attachment({ type: 'audio', platform_attachment_id: '77', voice: true }),
      { type: 'audio', audio: { id: '77', voice: true } },
    ],
    [
      attachment({ type: 'file', url: 'https://a.example/x', media: { ref: 'r', kind: 'file', filename: 'a"/b.pdf' } }),
      { type: 'document', document: { link: 'https://a.example/x', filename: 'a__b.pdf' } },
    ],
  ])('has media by address or by id %#', async (bubble, content) => {
    expect(await bodyOf(bubble)).toEqual({ ...ENVELOPE, ...content });
  });

  it.each([
    ['image/png', attachment({ caption: 'Look' }), 'image', { caption: 'Look' }],
    ['image/webp', attachment({}), 'sticker', {}],
    ['application/pdf', attachment({ type: 'file' }), 'document', { filename: 'menu.pdf' }],
  ] as const)('has stored media of type %s uploaded before it is sent', async (type, bubble, kind, more) => {
    const graph = graphOf({ [UPLOAD]: ok({ id: '88' }), [SEND]: accepted });
    const media = { ref: 'r', kind: 'image' as const, filename: 'menu.pdf' };
    await send(graph, { ...bubble, media } as Bubble, {}, type);
    expect(graph.calls()).toEqual([UPLOAD, SEND]);
    expect(graph.asked[1]!.body).toEqual({ ...ENVELOPE, type: kind, [kind]: { id: '88', ...more } });
    const file = `menu.pdf ${type} ${'bytes'.length}`;
    expect(graph.asked[0]!.form).toEqual({ messaging_product: 'whatsapp', type, file });
  });

  it('is refused before it is sent where WhatsApp accepts no such file', async () => {
    const large = { ...graphOf({}).acting, open: async () => opened(Buffer.alloc(5 * 1024 * 1024 + 1), 'image/png') };
    const bubble = attachment({ media: { ref: 'r', kind: 'image' } });
    const wrong = { kind: 'refused', reason: 'invalid_request' };
    await expect(bubbles.prepare!(large, { conversation, bubble })).rejects.toMatchObject(wrong);
    await expect(
      send(graphOf({}), attachment({ type: 'audio', url: 'https://a.example/a', caption: 'No' })),
    ).rejects.toMatchObject(wrong);
  });

  it('whose answer is lost or unreadable may have gone out', async () => {
    for (const answer of [lost(), ok({ messages: [] }), refusal(131000)]) {
      await expect(send(graphOf({ [SEND]: answer }), text())).rejects.toMatchObject({ kind: 'unknown' });
    }
    await expect(send(graphOf({ [SEND]: refusal(131047) }), text())).rejects.toMatchObject({
      kind: 'refused',
      code: 'whatsapp.window_closed',
    });
  });
});

describe('what a person sent', () => {
  it('is downloaded with the token, from an address that is asked for', async () => {
    const graph = graphOf({ 'GET /99': ok({ url: 'https://lookaside.example/x', mime_type: 'image/jpeg' }) });
    expect(await locate!(graph.acting, '99/my/menu.pdf')).toEqual({
      url: 'https://lookaside.example/x',
      headers: { authorization: 'Bearer TOKEN' },
      content_type: 'image/jpeg',
      filename: 'my/menu.pdf',
    });
    expect(graph.asked[0]!.query).toEqual({ phone_number_id: NUMBER });
    const gone = graphOf({ 'GET /99': refusal(100, { error_subcode: 33 }) });
    await expect(locate!(gone.acting, '99')).rejects.toMatchObject({ kind: 'refused', reason: 'not_found' });
  });

  it('is marked as read by its newest message', async () => {
    const graph = graphOf({ [SEND]: ok({ success: true }) });
    await seen!(graph.acting, conversation);
    await seen!(graph.acting, conversation, 'wamid.9');
    expect(graph.asked.map(({ body }) => body as unknown)).toEqual([
      { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.9' },
    ]);
  });
});
