/** The simulator of LinkedIn, driven by LinkedIn's own client: its headers, and how it writes keys and queries. */
import http from 'node:http';
import https from 'node:https';
import { AuthClient, RestliClient } from 'linkedin-api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  FRED,
  OLIVIA,
  openLinkedinWorld,
  postBody,
  REDIRECT,
  VERSION,
  type LinkedinWorld,
} from '../../harness/worlds/twins/linkedin.ts';

let world: LinkedinWorld;
let page: string;
const restli = new RestliClient();
const auth = new AuthClient({ clientId: 'sandbox', clientSecret: 'sandbox', redirectUrl: REDIRECT });
const AREAS: Readonly<Record<string, string>> = { 'api.linkedin.com': 'api', 'www.linkedin.com': 'www' };

/** The hosts of the client are fixed: what it asks of them goes to the simulator. */
function intercept(): void {
  vi.spyOn(https, 'request').mockImplementation(((options: http.RequestOptions, answer: () => void) => {
    const area = AREAS[String(options.hostname)];
    if (area === undefined) throw new Error(`nobody answers at ${options.hostname}`);
    const { hostname, port, pathname } = new URL(`${world.at}/${area}`);
    const { agent: _agent, agents: _agents, ...rest } = options as http.RequestOptions & { agents?: unknown };
    const headers = { ...(rest.headers as http.OutgoingHttpHeaders), host: `${hostname}:${port}` };
    const path = `${pathname}${options.path}`;
    return http.request({ ...rest, headers, protocol: 'http:', hostname, port, path }, answer);
  }) as typeof https.request);
}

beforeAll(async () => {
  world = await openLinkedinWorld();
  page = await world.organization();
  intercept();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await world.close();
});

const SHARING = ['openid', 'profile', 'w_member_social'];
const COMMUNITY = [
  'w_organization_social',
  'r_organization_social',
  'w_organization_social_feed',
  'r_organization_social_feed',
  'rw_organization_admin',
];

async function signIn(scopes = COMMUNITY) {
  const url = new URL(auth.generateMemberAuthorizationUrl(scopes, 's1'));
  const asked = { url: `${world.at}/www${url.pathname}${url.search}`, person: OLIVIA };
  const { location } = await world.act('consent', asked);
  return auth.exchangeAuthCodeForAccessToken(new URL(location).searchParams.get('code')!);
}

describe('the log-in', () => {
  it('is one that the client goes through', async () => {
    const tokens = await signIn(SHARING);
    expect(tokens).toMatchObject({ expires_in: 5_184_000, refresh_token_expires_in: 31_536_000 });
    expect(tokens.scope.split(',')).toEqual(SHARING);
    const renewed = await auth.exchangeRefreshTokenForAccessToken(tokens.refresh_token!);
    expect(renewed).toMatchObject({ refresh_token: tokens.refresh_token });
    const { data } = await restli.get({ resourcePath: '/userinfo', accessToken: renewed.access_token });
    expect(data['name']).toBe('Olivia Harbour');
  });
});

describe('resources', () => {
  it('are called with all its methods, and take keys and queries as it writes them', async () => {
    const { access_token: accessToken } = await signIn();
    const base = { accessToken, versionString: VERSION };
    const made = await restli.create({ ...base, resourcePath: '/posts', entity: postBody(page, 'Fresh beans') });
    const id = made.createdEntityId as string;
    expect(id).toMatch(/^urn:li:share:\d+$/);
    const one = { ...base, resourcePath: '/posts/{id}', pathKeys: { id } };
    expect((await restli.get(one)).data).toMatchObject({ id, commentary: 'Fresh beans' });
    await restli.partialUpdate({ ...one, patchSetObject: { commentary: 'Fresher beans' } });
    const found = await restli.finder({
      ...base,
      resourcePath: '/posts',
      finderName: 'author',
      queryParams: { author: page, count: 10, sortBy: 'CREATED' },
    });
    expect(found.data.elements).toMatchObject([{ id, commentary: 'Fresher beans' }]);
    const many = await restli.batchGet({ ...base, resourcePath: '/posts', ids: [id, 'urn:li:share:1'] });
    expect(many.data).toMatchObject({ results: { [id]: { id } }, statuses: { 'urn:li:share:1': 404 } });

    const parent = await world.act('comment', { person: FRED, post: id, text: 'Which hills?' });
    const replies = { ...base, resourcePath: '/socialActions/{urn}/comments', pathKeys: { urn: parent } };
    const message = { text: 'Those in the north' };
    const entity = { actor: page, object: id, parentComment: parent, message };
    expect((await restli.create({ ...replies, entity })).createdEntityId).toMatch(/^\d+$/);
    expect((await restli.get(replies)).data['elements']).toMatchObject([{ message }]);

    const reaction = await restli.create({
      ...base,
      resourcePath: '/reactions',
      queryParams: { actor: page },
      entity: { root: parent, reactionType: 'LIKE' },
    });
    expect(reaction.createdEntityId).toEqual({ actor: page, entity: parent });
    const pathKeys = { key: { actor: page, entity: parent } };
    expect((await restli.delete({ ...base, resourcePath: '/reactions/{key}', pathKeys })).status).toBe(204);

    const begun = await restli.action({
      ...base,
      resourcePath: '/images',
      actionName: 'initializeUpload',
      data: { initializeUploadRequest: { owner: page } },
    });
    expect(begun.data.value).toMatchObject({ image: expect.stringMatching(/^urn:li:image:/) });
    const statistics = await restli.finder({
      ...base,
      resourcePath: '/organizationalEntityShareStatistics',
      finderName: 'organizationalEntity',
      queryParams: { organizationalEntity: page, shares: [id] },
    });
    expect(statistics.data.elements).toMatchObject([{ share: id, totalShareStatistics: { commentCount: 2 } }]);
    expect((await restli.delete(one)).status).toBe(204);
  });

  it('are subscribed to by a compound key', async () => {
    const { access_token: accessToken } = await signIn();
    const user = await world.person();
    const key = {
      developerApplication: 'urn:li:developerApplication:123',
      user,
      entity: page,
      eventType: 'ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS',
    };
    const one = { accessToken, versionString: VERSION, resourcePath: '/eventSubscriptions/{key}', pathKeys: { key } };
    const webhook = `${world.app.url}/push/linkedin`;
    expect((await restli.update({ ...one, entity: { webhook } })).status).toBe(204);
    expect((await restli.get(one)).data).toMatchObject({ webhook, user, entity: page });
  });

  it('refuse as the client reports refusals', async () => {
    const one = { accessToken: 'nonsense', resourcePath: '/posts/{id}', pathKeys: { id: 'urn:li:share:1' } };
    const call = (versionString: string | undefined) => restli.get({ ...one, versionString });
    await expect(call(VERSION)).rejects.toMatchObject({
      response: { status: 401, data: { serviceErrorCode: 65_600 } },
    });
    await expect(call(undefined)).rejects.toMatchObject({ response: { status: 404 } });
  });
});
