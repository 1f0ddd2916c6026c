import type { SandboxOptions } from '#sandbox/network.ts';
import { addressOf, bearer, searchOf, withQuery, type Params } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const COFFEE = 'harbour.coffee';
export const OLIVIA = 'olivia.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/instagram';
export const CLIENT = { client_id: 'sandbox', client_secret: 'sandbox' };
const SCOPES =
  'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments,instagram_business_manage_messages,instagram_business_manage_insights';
export const FACEBOOK_SCOPES =
  'instagram_basic,instagram_content_publish,instagram_manage_comments,instagram_manage_messages,instagram_manage_insights,instagram_manage_contents,instagram_manage_engagement,pages_show_list,pages_read_engagement,pages_manage_metadata,pages_messaging,business_management';

/** A host of one of the log-ins. */
type Area = 'graph' | 'api' | 'graph-facebook';
/** Somebody the app acts for: the token, the account, and where it sends messages. */
export type Acting = Readonly<{ token: string; id: string; sender: string; area: Area }>;

export type InstagramWorld = Awaited<ReturnType<typeof openInstagramWorld>>;

/** The simulator of Instagram with an app that its updates go to. */
export async function openInstagramWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('instagram', options);
  const { at, consent: code, list, app } = world;

  const call = (verb: string, area: Area, path: string, token?: string, params: Params = {}) => {
    const headers = bearer(token);
    const isToken = /^(?:oauth\/|refresh_)?access_token$/.test(path) && area !== 'graph-facebook';
    const url = `${at}/${area}/${isToken ? '' : 'v25.0/'}${path}`;
    if (verb === 'POST') return world.ask(url, { method: verb, headers, body: searchOf(params) });
    return world.ask(withQuery(url, params), { method: verb, headers });
  };
  const by =
    (verb: string) =>
    ({ area, token }: Acting, path: string, params?: Params) =>
      call(verb, area, path, token, params);
  const address = (path: string, scope: string, params: Record<string, string> = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope, state: 's1' };
    return addressOf(`${at}/${path}`, { ...asked, ...params });
  };
  const dialog = (params?: Record<string, string>) => address('www/oauth/authorize', SCOPES, params);
  const facebookDialog = (params?: Record<string, string>) =>
    address('facebook/v25.0/dialog/oauth', FACEBOOK_SCOPES, params);

  /** Goes through the consent page and one exchange; answers what the exchange says. */
  const short = async (person = COFFEE, choice?: Params) =>
    call('POST', 'api', 'oauth/access_token', undefined, {
      ...CLIENT,
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT,
      code: await code(dialog(), person, choice),
    });
  async function login(person?: string): Promise<Acting> {
    const { json } = await short(person);
    const { access_token } = json.data?.[0] ?? json;
    const given = { grant_type: 'ig_exchange_token', client_secret: 'sandbox', access_token };
    const { access_token: token } = (await call('GET', 'graph', 'access_token', undefined, given)).json;
    const { user_id: id } = (await call('GET', 'graph', 'me', token, { fields: 'user_id' })).json;
    return { token, id: String(id), sender: String(id), area: 'graph' };
  }
  async function facebookUser(person = OLIVIA, choice?: Params): Promise<string> {
    const given = { ...CLIENT, redirect_uri: REDIRECT, code: await code(facebookDialog(), person, choice) };
    const first = await call('GET', 'graph-facebook', 'oauth/access_token', undefined, given);
    const exchange = { ...CLIENT, grant_type: 'fb_exchange_token', fb_exchange_token: first.json.access_token };
    return (await call('GET', 'graph-facebook', 'oauth/access_token', undefined, exchange)).json.access_token;
  }
  async function facebookLogin(person?: string, account = COFFEE): Promise<Acting> {
    const fields = 'id,access_token,instagram_business_account{id,username}';
    const { json } = await call('GET', 'graph-facebook', 'me/accounts', await facebookUser(person), { fields });
    const found = json.data.find((one: any) => one.instagram_business_account?.username === account);
    return {
      token: found.access_token,
      id: found.instagram_business_account.id,
      sender: found.id,
      area: 'graph-facebook',
    };
  }

  return {
    ...world,
    /** The entries that were pushed, in order. */
    entries: app.entries,
    call,
    get: by('GET'),
    post: by('POST'),
    del: by('DELETE'),
    dialog,
    facebookDialog,
    code,
    short,
    login,
    facebookUser,
    facebookLogin,
    /** Publishes something by its two steps; answers its id. */
    async publish(acting: Acting, params: Params): Promise<string> {
      const container = await by('POST')(acting, `${acting.id}/media`, params);
      if (container.status !== 200) throw new Error(container.text);
      for (let read = 0; read < 3; read += 1)
        await by('GET')(acting, String(container.json.id), { fields: 'status_code' });
      const made = await by('POST')(acting, `${acting.id}/media_publish`, { creation_id: container.json.id });
      if (made.status !== 200) throw new Error(made.text);
      return made.json.id;
    },
    igsid: async (account: string, handle = FRED): Promise<string> =>
      (await list('followers')).find((one) => one.handle === handle).igsids[account],
  };
}
