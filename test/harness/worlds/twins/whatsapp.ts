import { expect } from 'vitest';
import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, withQuery, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const WANDA = 'wanda.sandbox.test';
export const OTTO = 'otto.sandbox.test';
export const NORA = 'nora.sandbox.test';
export const CARLA = '12025550171';
export const BRUNO = '447700900172';
export const REDIRECT = 'http://localhost:9/connect/whatsapp';
export const RIGHTS = ['whatsapp_business_management', 'whatsapp_business_messaging'];
const CLIENT = { client_id: 'sandbox', client_secret: 'sandbox' };

/** A business that is connected: its token, its account and its number. */
export type Business = Readonly<{ token: string; account: string; number: string }>;

export type WhatsAppWorld = Awaited<ReturnType<typeof openWhatsAppWorld>>;

export const BODY = { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['A-17']] } };

/** The simulator of WhatsApp with an app that its updates go to. */
export async function openWhatsAppWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('whatsapp', options);
  const { at, act, consent, app } = world;

  const call = (verb: string, path: string, token: string | undefined, params: Params = {}) => {
    const url = `${at}/graph/v25.0/${path}`;
    const headers = bearer(token);
    if (verb === 'POST') return world.ask(url, jsonRequest(verb, params, headers));
    return world.ask(withQuery(url, params), { method: verb, headers });
  };
  const get = (path: string, token?: string, params?: Params) => call('GET', path, token, params);
  const post = async (path: string, token?: string, params?: Params) => {
    const reply = await call('POST', path, token, params);
    await world.sandbox.settle();
    return reply;
  };
  const dialog = (params: Record<string, string> = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', config_id: '1', state: 's1' };
    return addressOf(`${at}/www/v25.0/dialog/oauth`, { ...asked, ...params });
  };

  async function login(person = WANDA, choice: Params = {}): Promise<string> {
    const code = await consent(dialog(), person, choice);
    return (await get('oauth/access_token', undefined, { ...CLIENT, redirect_uri: REDIRECT, code })).json.access_token;
  }
  const changes = () => app.entries().flatMap((entry) => entry.changes);
  const named = (name: string) => changes().flatMap(({ value }: any) => value[name] ?? []);
  const send = ({ number, token }: Business, body: Params) =>
    post(`${number}/messages`, token, { messaging_product: 'whatsapp', to: CARLA, ...body });

  return {
    ...world,
    /** The changes of all pushes, in order; the messages and statuses among them. */
    changes,
    messages: () => named('messages'),
    statuses: () => named('statuses'),
    get,
    post,
    del: (path: string, token?: string) => call('DELETE', path, token),
    dialog,
    login,
    send,
    /** Wanda's number, subscribed. */
    async ready(person = WANDA): Promise<Business> {
      const token = await login(person);
      const { data } = (await get('debug_token', 'sandbox|sandbox', { input_token: token })).json;
      const account = data.granular_scopes.find(({ scope }: any) => scope === RIGHTS[0]).target_ids[0];
      const number = (await get(`${account}/phone_numbers`, token)).json.data[0].id;
      const done = await post(`${account}/subscribed_apps`, token);
      if (done.status !== 200) throw new Error(done.text);
      return { token, account, number };
    },
    /** Writes as a customer; answers the message as the simulator keeps it. */
    write: ({ number }: Business, text: string, person = CARLA) => act('message', { person, number, text }),
    /** Makes a template and lets it be approved. */
    async template({ account, token }: Business, more: Params = {}): Promise<string> {
      const fields = { name: 'order_ready', language: 'en_US', category: 'UTILITY', components: [BODY], ...more };
      const { status, json, text } = await post(`${account}/message_templates`, token, fields);
      if (status !== 200) throw new Error(text);
      await act('review', { template: json.id, event: 'APPROVED' });
      return json.id;
    },
  };
}

/** A refusal of WhatsApp as tests expect it. */
export const refused = (code: number, status = 400, subcode?: number) => ({
  status,
  json: {
    error: expect.objectContaining({
      code,
      fbtrace_id: expect.any(String),
      ...(subcode !== undefined && { error_subcode: subcode }),
    }),
  },
});
