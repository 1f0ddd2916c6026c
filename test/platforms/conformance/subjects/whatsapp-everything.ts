import { expect } from 'vitest';
import { mp4, ogg, pdf, png, webp } from '#test/harness/media-samples.ts';
import { twinOf } from '../twin.ts';
import type { Scene } from '../subject.ts';
import type { Stage } from '../stage.ts';

const { act, list } = twinOf('whatsapp');

/** Everything that the product sends in a conversation. */
async function messagesOf({ upload }: Pick<Stage, 'upload'>): Promise<readonly object[]> {
  const film = mp4({ ms: 3000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
  const rows = [{ id: 'r1', title: 'Cake', description: 'With cream' }];
  const files: readonly object[] = [
    { type: 'image', source: await upload('shop.png', 'image/png', png()), caption: 'Our shop' },
    { type: 'image', source: await upload('bare.png', 'image/png', png()) },
    { type: 'video', source: await upload('shop.mp4', 'video/mp4', film), caption: 'A walk' },
    { type: 'file', source: await upload('menu.pdf', 'application/pdf', pdf), caption: 'All' },
    { type: 'audio', source: await upload('song.ogg', 'audio/ogg', ogg) },
    { type: 'audio', source: await upload('hello.ogg', 'audio/ogg', ogg), voice: true },
    { type: 'image', source: await upload('smile.webp', 'image/webp', webp) },
  ];
  return [
    { text: 'Hi' },
    { text: 'Well?', buttons: [{ type: 'postback', title: 'Yes', payload: 'yes' }] },
    { text: 'Which?', quick_replies: [{ title: 'Cake', payload: 'cake' }] },
    { text: 'Pick one', list_button: 'Pick', list_sections: [{ title: 'Cakes', rows }] },
    ...files.map((file) => ({ attachments: [{ source_type: 'media_id', ...file }] })),
  ];
}

const asking =
  ({ rest }: Pick<Scene, 'rest'>) =>
  async (call: `${string} /${string}`, body?: object) => {
    const answer = await rest(call, body);
    const isDone = answer.status < 300;
    expect([call, isDone || answer.body]).toEqual([call, true]);
    return answer.body;
  };

/** Sends messages of every kind. */
export async function sendEverything(stage: Stage, scene: Scene): Promise<void> {
  const ask = asking(scene);
  const messages = await messagesOf(stage);
  for (const body of messages) await ask(`POST /v1/inbox/conversations/${scene.conversation}/messages`, body);
}

/** Does everything that can be done with templates, and with a number. */
export async function manageEverything(stage: Stage, scene: Scene): Promise<void> {
  const { account } = scene;
  const ask = asking(scene);
  const own = `/v1/platforms/whatsapp/accounts/${account}` as const;
  const shared = '/v1/platforms/whatsapp/templates';
  const components = [{ type: 'BODY', text: 'Order {{1}} is ready.', example: { body_text: [['A-17']] } }];
  const template = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components };
  const { id } = await ask(`POST ${own}/templates`, template);
  await act(stage, 'review', { template: 'order_ready', event: 'APPROVED' });
  await ask(`GET ${own}/templates?limit=1`);
  await ask(`GET ${shared}/${id}?account_id=${account}`);
  const parameters = [{ type: 'text', text: 'B-9' }];
  const sent = { template_name: 'order_ready', language: 'en_US', components: [{ type: 'body', parameters }] };
  await ask(`POST ${own}/send-template`, { to: '12025550171', ...sent });
  const changed = [{ ...components[0], text: 'Order {{1}} can be fetched.' }];
  await ask(`PUT ${shared}/${id}`, { account_id: account, components: changed });
  await ask(`DELETE ${own}/templates?name=order_ready`);

  const number = `/v1/platforms/whatsapp/phone-numbers/${account}` as const;
  await ask(`GET ${number}/status`);
  await ask(`PUT ${number}/business-profile`, { about: 'Bread', websites: ['https://bakery.example'] });
  await ask(`GET ${number}/business-profile`);
  await ask(`POST ${number}/deregister`);
  await ask(`POST ${number}/request-code`, { method: 'SMS', language: 'en_US' });
  const [{ code }] = await list(stage, 'numbers');
  await ask(`POST ${number}/verify-code`, { code: code.value });
  await ask(`POST ${number}/register`, { pin: '123456' });
}
