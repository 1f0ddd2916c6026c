import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, jsonRequest, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';
import { jpeg } from '../../media-samples.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const NORA = 'nora.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/google/callback';
export const MANAGE = 'https://www.googleapis.com/auth/business.manage';
const CLIENT = { client_id: 'sandbox', client_secret: 'sandbox' };

/** A photo that is large enough for Google. */
export const photo = (width = 400, height = 300): Buffer => Buffer.concat([jpeg(width, height), Buffer.alloc(12_000)]);

/** A location with the account it is reached through. */
export type Place = Readonly<{ account: string; location: string; name: string; title: string }>;

export type GoogleWorld = Awaited<ReturnType<typeof openGoogleTwin>>;

/** The simulator of Google Business Profile with an app that Pub/Sub pushes to. */
export async function openGoogleTwin(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('google', options);
  const { at, act, consent } = world;

  const call = (area: string, verb: string, path: string, token?: string, body?: unknown) =>
    world.ask(`${at}/${area}/${path}`, jsonRequest(verb, body, bearer(token)));
  const form = (path: string, fields: Record<string, string>) =>
    world.ask(`${at}/oauth2/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  const page = (more: Record<string, string> = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', state: 's1' };
    const usual = { ...asked, scope: `openid email profile ${MANAGE}`, access_type: 'offline', prompt: 'consent' };
    return addressOf(`${at}/accounts/o/oauth2/v2/auth`, { ...usual, ...more });
  };

  return {
    ...world,
    call,
    /** The v4 API. */
    v4: (verb: string, path: string, token: string, body?: unknown) =>
      call('mybusiness', verb, `v4/${path}`, token, body),
    form,
    page,
    /** Goes through the consent page and the exchange; answers what the token endpoint does. */
    async login(person = OLIVIA, more: Record<string, string> = {}) {
      const code = await consent(page(more), person);
      return (await form('token', { ...CLIENT, grant_type: 'authorization_code', redirect_uri: REDIRECT, code })).json;
    },
    /** The places of a person by their titles, each through the account that is named last. */
    async places(token: string) {
      const found: Record<string, Place> = {};
      const { accounts = [] } = (await call('accountmanagement', 'GET', 'v1/accounts', token)).json;
      for (const { name } of accounts) {
        const path = `v1/${name}/locations?readMask=name,title&pageSize=100`;
        const { locations = [] } = (await call('businessinformation', 'GET', path, token)).json;
        for (const one of locations)
          found[one.title] = {
            title: one.title,
            account: name.split('/')[1],
            location: one.name.split('/')[1],
            name: `${name}/${one.name}`,
          };
      }
      return found;
    },
    settings: (values: Params) => act('settings', values),
  };
}
