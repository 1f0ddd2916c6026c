/** A client of the Cloud API that nobody here wrote, unchanged but for the host it reaches, drives the simulator. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { listen, stop } from '../harness/sockets.ts';
import { mp4, png } from '../harness/worlds/twins/facebook.ts';
import { BODY, CARLA, openWhatsAppWorld, type Business, type WhatsAppWorld } from '../harness/worlds/twins/whatsapp.ts';
import { describeClients, requireClient } from './clients/installed.ts';

const HOST = 'https://graph.facebook.com';

describeClients('whatsapp-api-js', () => {
  let world: WhatsAppWorld;
  let business: Business;
  let server: Server;
  let client: any;
  let kinds: any;
  const heard: any[] = [];

  beforeAll(async () => {
    const load = (name: string) => import(pathToFileURL(requireClient.resolve(name)).href);
    const { WhatsAppAPI } = await load('whatsapp-api-js');
    kinds = await load('whatsapp-api-js/messages');
    server = createServer((req, res) => {
      const answer = async (): Promise<string> => {
        const query = Object.fromEntries(new URL(req.url ?? '', 'http://x').searchParams);
        if (req.method === 'GET') return client.get(query);
        const body = await text(req);
        await client.post(JSON.parse(body), body, String(req.headers['x-hub-signature-256']));
        return 'ok';
      };
      void answer().then(
        (said) => res.end(said),
        (error: { httpStatus?: number }) => res.writeHead(error.httpStatus ?? 500).end(),
      );
    });
    const port = await listen(server);
    world = await openWhatsAppWorld({ productUrl: () => `http://127.0.0.1:${port}` });
    const reach = (url: string | URL, init?: RequestInit) =>
      fetch(String(url).replace(HOST, `${world.at}/graph`), init);
    client = new WhatsAppAPI({
      token: '',
      appSecret: 'sandbox',
      webhookVerifyToken: 'sandbox',
      v: 'v25.0',
      ponyfill: { fetch: reach },
    });
    client.on.message = ({ message, contact }: any) => void heard.push({ ...message, name: contact.profile.name });
    client.on.status = ({ status, id, error }: any) => void heard.push({ status, id, code: error?.code });
    business = await world.ready();
    client.token = business.token;
  });
  afterAll(async () => {
    await world?.close();
    if (server) await stop(server);
  });

  const take = () => heard.splice(0);
  async function send(message: unknown, ...more: unknown[]) {
    const answer = await client.sendMessage(business.number, { phone: CARLA }, message, ...more);
    await world.sandbox.settle();
    return answer;
  }

  it('takes what is pushed, and answers it by text, file, buttons and list', async () => {
    await world.write(business, 'Hello');
    expect(take()).toMatchObject([{ type: 'text', text: { body: 'Hello' }, from: CARLA, name: 'Carla Customer' }]);
    const { Text, Image, Interactive, ActionButtons, Button, Body, ActionList, ListSection, Row } = kinds;
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob([new Uint8Array(png())], { type: 'image/png' }));
    const { id } = await client.uploadMedia(business.number, form);
    const messages = [
      new Text('Hi'),
      new Image(id, true, 'A picture'),
      new Interactive(new ActionButtons(new Button('yes', 'Yes')), new Body('Well?')),
      new Interactive(new ActionList('Pick', new ListSection('Cakes', new Row('c1', 'Cake'))), new Body('Which?')),
    ];
    for (const message of messages) {
      const answer = await send(message, undefined, 'mark');
      expect(answer).toMatchObject({
        contacts: [{ wa_id: CARLA }],
        messages: [{ id: expect.stringMatching(/^wamid/) }],
      });
      // What else is in the same push the client does not read.
      expect(take().map(({ status }) => status)).toEqual(['sent']);
    }
    const file = await client.retrieveMedia(id);
    expect(Buffer.from(await (await client.fetchMedia(file.url)).arrayBuffer()).equals(Buffer.from(png()))).toBe(true);
    expect(await client.deleteMedia(id)).toEqual({ success: true });
    const asked = (await world.list('messages')).find(({ choices }) => choices.length > 0);
    await world.act('tap', { message: asked.id, choice: 'yes' });
    expect(take()).toMatchObject([{ type: 'interactive', interactive: { button_reply: { id: 'yes', title: 'Yes' } } }]);
  });

  it('marks as read, sends by business-scoped id and by template, and understands refusals', async () => {
    const { id } = await world.write(business, 'Again');
    expect(await client.markAsRead(business.number, id, 'text')).toEqual({ success: true });
    await world.act('take_username', { person: CARLA, username: 'carla' });
    await world.write(business, 'Hidden');
    const bsuid = take().at(-1).from_user_id;
    const hidden = await client.sendMessage(business.number, { bsuid }, new kinds.Text('Hi'));
    expect(hidden.contacts).toEqual([{ input: bsuid, user_id: bsuid }]);
    await world.template(business, { components: [BODY] });
    const { Template, BodyComponent, BodyParameter } = kinds;
    const template = new Template('order_ready', 'en_US', new BodyComponent(new BodyParameter('B-9')));
    expect(await send(template)).toMatchObject({ messages: [{ message_status: 'accepted' }] });
    expect(await send(new Template('none', 'en_US'))).toMatchObject({ error: { code: 132001 } });
    expect(await send(new kinds.Video(world.app.put('film.mp4', mp4())))).toHaveProperty('messages');
  });

  it('is told of what failed', async () => {
    await world.sandbox.settle();
    take();
    const { json } = await world.send(business, { to: '12025550199', type: 'text', text: { body: 'x' } });
    await world.sandbox.settle();
    expect(take()).toMatchObject([{ status: 'failed', id: json.messages[0].id, code: 131026 }]);
  });
});
