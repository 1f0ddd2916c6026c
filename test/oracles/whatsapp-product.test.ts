import { expect } from 'vitest';
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
  expect(messages.filter(({ isByApp }: Json) => isByApp)).toHaveLength(5);
  expect(flawsOfSent({ messages, templates: await control('templates') })).toEqual([]);
});
