/** The simulator of Google Business Profile, driven by Google's own clients. The v4 API has none: see test/oracles. */
import { createPublicKey } from 'node:crypto';
import { auth, mybusinessaccountmanagement } from '@googleapis/mybusinessaccountmanagement';
import { mybusinessbusinessinformation } from '@googleapis/mybusinessbusinessinformation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGE, NORA, OLIVIA, openGoogleTwin, REDIRECT, type GoogleWorld } from '../../harness/worlds/twins/google.ts';

type Login = InstanceType<typeof auth.OAuth2>;

let world: GoogleWorld;
let login: Login;
beforeAll(async () => {
  world = await openGoogleTwin();
  login = await signIn();
});
afterAll(() => world.close());

/** A client of Google's library whose endpoints are those of the simulator. */
function newLogin(): Login {
  const oauth2 = `${world.at}/oauth2`;
  return new auth.OAuth2({
    clientId: 'sandbox',
    clientSecret: 'sandbox',
    redirectUri: REDIRECT,
    forceRefreshOnFailure: true,
    endpoints: {
      oauth2AuthBaseUrl: `${world.at}/accounts/o/oauth2/v2/auth`,
      oauth2TokenUrl: `${oauth2}/token`,
      oauth2RevokeUrl: `${oauth2}/revoke`,
      tokenInfoUrl: `${oauth2}/tokeninfo`,
    },
  });
}

/** The code that a person's consent on a page brings. */
async function codeOf(url: string, person: string): Promise<string> {
  const { location } = await world.act('consent', { url, person });
  return new URL(location).searchParams.get('code')!;
}

async function signIn(): Promise<Login> {
  const client = newLogin();
  const scope = ['openid', 'email', 'profile', MANAGE];
  const url = client.generateAuthUrl({ access_type: 'offline', prompt: 'consent', scope, state: 's1' });
  const { tokens } = await client.getToken(await codeOf(url, OLIVIA));
  client.setCredentials(tokens);
  return client;
}

/** Where a client finds an API; a path is kept only where each call says it. */
const at = (area: string) => ({ rootUrl: `${world.at}/${area}/` });

describe('the log-in', () => {
  it('is one that google-auth-library goes through, with PKCE, refresh and revocation', async () => {
    const verifier = await newLogin().generateCodeVerifierAsync();
    const client = newLogin();
    const url = client.generateAuthUrl({
      access_type: 'offline',
      scope: [MANAGE, 'openid', 'email'],
      code_challenge: verifier.codeChallenge!,
      code_challenge_method: 'S256' as never,
    });
    const code = await codeOf(url, NORA);
    const { tokens } = await client.getToken({ code, codeVerifier: verifier.codeVerifier });
    expect(tokens).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) });
    client.setCredentials(tokens);
    const info = await client.getTokenInfo(tokens.access_token!);
    const scopes = expect.arrayContaining([MANAGE]) as unknown;
    expect(info).toMatchObject({ aud: 'sandbox', email: 'nora@sandbox.test', scopes });

    const { keys } = (await world.ask(`${world.at}/googleapis/oauth2/v3/certs`)).json;
    const pems = Object.fromEntries(
      keys.map((key: any) => [
        key.kid,
        createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' }) as string,
      ]),
    );
    // Its clock is the real one, the simulator's is moved by hand.
    const ticket = client
      .verifySignedJwtWithCertsAsync(tokens.id_token!, pems, 'sandbox', ['https://accounts.google.com'])
      .then(
        (known) => known.getPayload()?.email,
        (error: Error) => error.message,
      );
    expect(await ticket).toMatch(/nora@sandbox\.test|Token used too (?:late|early)/);

    const before = tokens.access_token;
    const { credentials } = await client.refreshAccessToken();
    expect(credentials.access_token).not.toBe(before);
    expect(credentials.refresh_token).toBe(tokens.refresh_token);
    await client.revokeToken(credentials.access_token!);
    await expect(client.refreshAccessToken()).rejects.toThrow('invalid_grant');
  });
});

describe('the clients of Business Profile', () => {
  it('read accounts in pages', async () => {
    const client = mybusinessaccountmanagement({ version: 'v1', auth: login });
    const where = at('accountmanagement');
    for (let count = 0; count < 20; count += 1)
      await world.act('add_account', { person: OLIVIA, name: `Group ${count}`, type: 'USER_GROUP' });
    const { data } = await client.accounts.list({ pageSize: 20 }, where);
    expect(data.accounts).toHaveLength(20);
    const rest = await client.accounts.list({ pageToken: data.nextPageToken! }, where);
    expect([rest.data.accounts?.length, rest.data.nextPageToken]).toEqual([2, undefined]);
    const groups = await client.accounts.list({ filter: 'type=LOCATION_GROUP' }, where);
    const [{ name, accountName }] = groups.data.accounts as [{ name: string; accountName: string }];
    expect(accountName).toBe('Harbour Group');
    expect((await client.accounts.get({ name }, where)).data).toMatchObject({ type: 'LOCATION_GROUP' });
    const missing = client.accounts.get({ name: 'accounts/1' }, where);
    await expect(missing).rejects.toMatchObject({ status: 404, message: 'Requested entity was not found.' });
  });

  it('read locations by mask, filter and order', async () => {
    const client = mybusinessbusinessinformation({ version: 'v1', auth: login });
    const where = at('businessinformation');
    const parent = 'accounts/-';
    const readMask = 'name,title,storeCode,metadata,storefrontAddress,phoneNumbers,profile';
    const { data } = await client.accounts.locations.list({ parent, readMask, orderBy: 'title' }, where);
    expect(data.locations?.map(({ title }) => title)).toEqual(['Harbour Bakery', 'Harbour Boats', 'Harbour Café']);
    const named = { parent, readMask: 'name', filter: 'title="Harbour Café"' };
    const cafe = await client.accounts.locations.list(named, where);
    const [{ name }] = cafe.data.locations as [{ name: string }];
    expect((await client.locations.get({ name, readMask }, where)).data).toMatchObject({
      name,
      storeCode: 'CAFE',
      metadata: { hasVoiceOfMerchant: true, mapsUri: expect.any(String) },
    });
    await expect(client.accounts.locations.list({ parent }, where)).rejects.toMatchObject({ status: 400 });
  });

  it('renew a token that was refused', async () => {
    const client = mybusinessaccountmanagement({ version: 'v1', auth: login });
    const before = login.credentials.access_token;
    world.clock.move(3_600_000);
    expect((await client.accounts.list({}, at('accountmanagement'))).status).toBe(200);
    expect(login.credentials.access_token).not.toBe(before);
  });
});
