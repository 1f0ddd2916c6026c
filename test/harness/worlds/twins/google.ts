import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { bearer, type Params } from './app.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';
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

export type GoogleWorld = TwinWorld &
  Readonly<{
    call(area: string, verb: string, path: string, token?: string, body?: unknown): Promise<Reply>;
    /** The v4 API. */
    v4(verb: string, path: string, token: string, body?: unknown): Promise<Reply>;
    form(path: string, fields: Record<string, string>): Promise<Reply>;
    page(more?: Record<string, string>): string;
    /** Goes through the consent page and the exchange; answers what the token endpoint does. */
    login(person?: string, more?: Record<string, string>): Promise<any>;
    /** The places of a person by their titles, each through the account that is named last. */
    places(token: string): Promise<Record<string, Place>>;
    settings(values: Params): Promise<any>;
  }>;

/** The twin of Google Business Profile with an app that Pub/Sub pushes to. */
export async function openGoogleTwin(options: Partial<SandboxOptions> = {}): Promise<GoogleWorld> {
  const world = await openTwinWorld('google', options);
  const { at, act } = world;

  const call: GoogleWorld['call'] = (area, verb, path, token, body) => {
    const headers = bearer(token);
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { method: verb, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return world.ask(`${at}/${area}/${path}`, init);
  };
  const form: GoogleWorld['form'] = (path, fields) =>
    world.ask(`${at}/oauth2/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  const page: GoogleWorld['page'] = (more = {}) =>
    `${at}/accounts/o/oauth2/v2/auth?${new URLSearchParams({ client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: `openid email profile ${MANAGE}`, state: 's1', access_type: 'offline', prompt: 'consent', ...more }).toString()}`;

  return {
    ...world,
    call,
    v4: (verb, path, token, body) => call('mybusiness', verb, `v4/${path}`, token, body),
    form,
    page,
    async login(person = OLIVIA, more = {}) {
      const { location } = await act('consent', { url: page(more), person });
      const code = new URL(location).searchParams.get('code') ?? '';
      return (await form('token', { ...CLIENT, grant_type: 'authorization_code', redirect_uri: REDIRECT, code })).json;
    },
    async places(token) {
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
    settings: (values) => act('settings', values),
  };
}
