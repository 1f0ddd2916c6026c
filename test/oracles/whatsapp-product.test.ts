import { expect } from 'vitest';
import { mp4, ogg, pdf, png, webp } from '../harness/media-samples.ts';
import { it, type Json } from '../harness/world.ts';
import { CARLA, WANDA } from '../harness/worlds/twins/whatsapp.ts';
import { flawsOfSent } from './whatsapp.ts';

it('what the product sends to WhatsApp is as Meta says', async ({ world }) => {
  const control = async (name: string, input?: object): Promise<Json> => {
    const headers = { 'Content-Type': 'application/json' };
    const init = input === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(input) };
    const answer = await fetch(`${world.root}/sandbox/__control/whatsapp/${name}`, init);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: Json }).data;
  };
  const ask = async (call: `${string} /${string}`, body?: object): Promise<Json> => {
    const answer = await world.rest(call, body);
    if (answer.status >= 400) throw new Error(`${call}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const people = ((await (await fetch(`${world.root}/sandbox/__control/people?network=whatsapp`)).json()) as Json).data;
  const { form } = people.find(({ handle }: Json) => handle === WANDA);
  const brand = await ask('POST /v1/brands', { name: 'Bakery' });
  const connected = await ask('POST /v1/accounts/connect', {
    platform: 'whatsapp',
    brand_id: brand.id,
    metadata: form,
  });
  await world.pass(60_000);
  await control('message', { person: CARLA, number: form.phone_number_id, text: 'Hello' });
  await world.pass(60_000);
  const { data } = await ask(`GET /v1/inbox/conversations?account_id=${connected.account_id}`);
  const send = (body: object) => ask(`POST /v1/inbox/conversations/${data[0].id}/messages`, body);
  await send({ text: 'Hi' });
  await send({ text: 'Well?', buttons: [{ type: 'postback', title: 'Yes', payload: 'yes' }] });
  await send({ text: 'Which?', quick_replies: [{ title: 'Cake', payload: 'cake' }] });
  const rows = [{ id: 'r1', title: 'Cake', description: 'With cream' }];
  await send({ text: 'Pick one', list_button: 'Pick', list_sections: [{ title: 'Cakes', rows }] });
  const stored = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([bytes], { type }), name);
    return (await ask('POST /v1/media/upload', form)).id;
  };
  const film = mp4({ ms: 3000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
  const files: readonly object[] = [
    { type: 'image', source: await stored('shop.png', 'image/png', png()), caption: 'Our shop' },
    { type: 'image', source: await stored('bare.png', 'image/png', png()) },
    { type: 'video', source: await stored('shop.mp4', 'video/mp4', film), caption: 'A walk' },
    { type: 'file', source: await stored('menu.pdf', 'application/pdf', pdf), caption: 'All' },
    { type: 'audio', source: await stored('song.ogg', 'audio/ogg', ogg) },
    { type: 'audio', source: await stored('hello.ogg', 'audio/ogg', ogg), voice: true },
    { type: 'image', source: await stored('smile.webp', 'image/webp', webp) },
  ];
  for (const file of files) await send({ attachments: [{ source_type: 'media_id', ...file }] });
  const templates = `/v1/platforms/whatsapp/accounts/${connected.account_id}` as const;
  const components = [{ type: 'BODY', text: 'Order {{1}} is ready.', example: { body_text: [['A-17']] } }];
  const template = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components };
  await ask(`POST ${templates}/templates`, template);
  await control('review', { template: 'order_ready', event: 'APPROVED' });
  const parameters = [{ type: 'text', text: 'B-9' }];
  const sent = {
    to: CARLA,
    template_name: 'order_ready',
    language: 'en_US',
    components: [{ type: 'body', parameters }],
  };
  await ask(`POST ${templates}/send-template`, sent);
  const messages = await control('messages');
  const sentTypes = messages.filter(({ isByApp }: Json) => isByApp).map(({ type }: Json) => type);
  const fileTypes = ['image', 'image', 'video', 'document', 'audio', 'audio', 'sticker'];
  expect(sentTypes).toEqual(['text', 'interactive', 'interactive', 'interactive', ...fileTypes, 'template']);
  expect(flawsOfSent({ messages, templates: await control('templates') })).toEqual([]);
});
