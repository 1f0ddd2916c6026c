import * as z from 'zod';
import type { AccountCall, UnauthenticatedCall } from '../../call.ts';
import type { Connected, DirectConnect, Profile, Renewed } from '../../connect.ts';
import { PlatformError } from '../../errors.ts';
import { authed, pdsOf, xrpc } from '../api.ts';
import { isWithoutAppView } from '../errors.ts';
import { fetchHandleDid, findPds, isHandle, pdsIn, resolveHandle, serverAddress } from './identity.ts';
import { type BlueskySession, Did, sessionOf } from './session.ts';
import { claimsOf } from '../../shared/session.ts';
import { isNamed, isRefused, refused, unfit, unlessRefused } from '../../shared/errors.ts';
import { getRecord } from '../records.ts';

const Tokens = z.object({
  did: Did,
  handle: z.string().max(253),
  accessJwt: z.string().min(1).max(8192),
  refreshJwt: z.string().min(1).max(8192),
  email: z.string().max(320).optional(),
  active: z.boolean().optional(),
  didDoc: z.unknown().optional(),
});

const Actor = z.object({
  displayName: z.string().max(1000).optional(),
  description: z.string().max(10_000).optional(),
  avatar: z.string().max(4096).optional(),
});

const ActorRecord = z.object({
  value: Actor.extend({ avatar: z.object({ ref: z.object({ $link: z.string().max(200) }) }).optional() }),
});

export const connect = Object.freeze<DirectConnect>({
  kind: 'direct',
  form: [
    {
      name: 'identifier',
      label: 'Handle',
      hint: 'For example alice.bsky.social; the e-mail address of the account works too.',
      type: 'text',
      required: true,
      autocomplete: 'username',
    },
    {
      name: 'app_password',
      label: 'App password',
      hint: 'Created in Bluesky under Settings, Privacy and security, App passwords. Not your main password.',
      type: 'password',
      required: true,
      autocomplete: 'off',
    },
    {
      name: 'service',
      label: 'Server',
      hint: 'Only for accounts on a server of their own, for example https://pds.example.com.',
      type: 'url',
      required: false,
    },
  ],
  required: ['identifier', 'app_password'],
  namesServer: (fields) => serverIn(fields) !== '',
  login,
  refresh,
  revoke,
});

const serverIn = (fields: Readonly<Record<string, string>>) => fields['service']?.trim() ?? '';

async function login(call: UnauthenticatedCall, fields: Readonly<Record<string, string>>): Promise<Connected> {
  const identifier = identifierOf(fields['identifier'] ?? '');
  const server = serverIn(fields);
  const given = server ? serverAddress(server) : undefined;
  if (server && !given) throw unfit('The server must be an https address.');
  const home = given ?? call.hosts['service']!;
  const local = home.startsWith('http:');

  const did = given ? undefined : await didOf(call, home, identifier);
  const named = did && !local ? await trustedPds(call, did) : undefined;
  const at = named ?? home;
  const tokens = await createSession(call, at, identifier, fields['app_password'] ?? '');
  if (did && did !== tokens.did) throw refused('auth', 'The server answered for a different account.');
  if (tokens.active === false) throw refused('blocked', 'This account is deactivated, suspended or taken down.');

  const pds = local ? localPds(given, tokens) : await confirmedPds(call, at, named, tokens);
  const session = { did: tokens.did, handle: displayHandle(tokens), pds, ...jwts(tokens) } satisfies BlueskySession;
  const { expiresAt, scope } = claimsOf(tokens.accessJwt);
  const profile = await readProfile({ ...call, session }, session);
  return {
    profile: {
      ...profile,
      user_email: tokens.email,
      metadata: { pds: pds ?? home, direct_messages: scope !== 'com.atproto.appPass' },
    },
    session,
    expiresAt,
  };
}

async function refresh(call: AccountCall): Promise<Renewed> {
  const old = sessionOf(call.session);
  try {
    const request = { method: 'com.atproto.server.refreshSession', post: {}, token: old.refreshJwt };
    const tokens = await xrpc(call, pdsOf(call), request, Tokens);
    if (tokens.did !== old.did) throw refused('auth', 'The server answered for a different account.');
    const session = { ...old, handle: displayHandle(tokens), ...jwts(tokens) };
    return { session, expiresAt: claimsOf(tokens.accessJwt).expiresAt };
  } catch (error) {
    // An expired refresh token cannot be renewed, so the owner must log in again.
    throw isRefused(error, 'auth') ? refused('auth', error.message, error) : error;
  }
}

async function revoke(call: AccountCall): Promise<void> {
  const request = { method: 'com.atproto.server.deleteSession', post: {}, token: sessionOf(call.session).refreshJwt };
  // A rejected token counts as revoked.
  await unlessRefused(xrpc(call, pdsOf(call), request, z.unknown()), 'auth');
}

async function createSession(call: UnauthenticatedCall, server: string, identifier: string, password: string) {
  const post = { identifier, password: password.trim() };
  try {
    return await xrpc(call, server, { method: 'com.atproto.server.createSession', post }, Tokens);
  } catch (error) {
    if (isNamed(error, 'AuthenticationRequired'))
      throw refused('auth', `The handle or the app password is wrong, says ${new URL(server).host}.`, error);
    if (isNamed(error, 'AuthFactorTokenRequired')) {
      throw refused(
        'auth',
        "This is the main password of the account. Create an app password in Bluesky's settings and use that.",
        error,
      );
    }
    throw error;
  }
}

/** Normalizes an identifier as people paste it: with an @, capitals, invisible characters, or as a profile URL. */
function identifierOf(text: string): string {
  const clean = text
    .slice(0, 500)
    .replace(/[\p{Cf}\s]/gu, '')
    .replace(/^(?:https?:\/\/bsky\.app\/profile\/|@)/i, '');
  const identifier = clean.startsWith('did:') ? clean : clean.toLowerCase();
  if (!isHandle(identifier) && !Did.safeParse(identifier).success && !/^[^@]+@[^@]+\.[^@]+$/.test(identifier)) {
    throw unfit('This is not a handle, such as alice.bsky.social.');
  }
  return identifier;
}

/** The DID of an identifier; undefined for e-mail addresses and unknown handles, which the service itself resolves. */
async function didOf(call: UnauthenticatedCall, home: string, identifier: string): Promise<string | undefined> {
  if (identifier.startsWith('did:')) return identifier;
  if (!isHandle(identifier)) return undefined;
  const did = await resolveHandle(call, home, identifier);
  if (did || home.startsWith('http:')) return did;
  return fetchHandleDid(call, identifier);
}

async function trustedPds(call: UnauthenticatedCall, did: string): Promise<string | undefined> {
  const pds = serverAddress(await findPds(call, did));
  return pds?.startsWith('https:') ? pds : undefined;
}

/** The PDS on localhost, where no directory can confirm it, so the server's own response is trusted. */
function localPds(given: string | undefined, tokens: z.output<typeof Tokens>): string | undefined {
  if (given === undefined) return undefined;
  const pds = serverAddress(pdsIn(tokens.didDoc, tokens.did));
  return pds?.startsWith('http:') ? pds : given;
}

/** The PDS in the DID document, as a server may claim any account; the session must also be valid there. */
async function confirmedPds(
  call: UnauthenticatedCall,
  at: string,
  named: string | undefined,
  tokens: z.output<typeof Tokens>,
) {
  const pds = named ?? (await trustedPds(call, tokens.did));
  if (pds === undefined) throw unfit('The account names no server with a usable address.');
  if (pds !== at) {
    const request = { method: 'com.atproto.server.getSession', token: tokens.accessJwt };
    const { did } = await xrpc(call, pds, request, z.object({ did: Did }));
    if (did !== tokens.did) throw refused('auth', 'The server answered for a different account.');
  }
  return pds;
}

async function readProfile(call: AccountCall, { did, handle }: BlueskySession): Promise<Profile> {
  const actor = await readActor(call, did);
  return {
    platform_user_id: did,
    username: handle,
    name: actor.displayName?.trim() || handle,
    bio: actor.description || undefined,
    profile_picture_url: actor.avatar,
    profile_url: `${call.hosts['web']!}/profile/${handle}`,
  };
}

/** The profile from the AppView, else from the account's record, else empty: connecting works without it. */
async function readActor(call: AccountCall, did: string): Promise<z.output<typeof Actor>> {
  try {
    return await authed(call, { method: 'app.bsky.actor.getProfile', query: { actor: did } }, Actor);
  } catch (error) {
    return isWithoutAppView(error) ? await readActorRecord(call, did).catch(noProfile) : noProfile(error);
  }
}

async function readActorRecord(call: AccountCall, did: string): Promise<z.output<typeof Actor>> {
  const ref = { repo: did, collection: 'app.bsky.actor.profile', rkey: 'self' };
  const { value } = await getRecord(call, ref, ActorRecord);
  return { ...value, avatar: value.avatar && blobUrl(pdsOf(call), did, value.avatar.ref.$link) };
}

function noProfile(error: unknown): Record<string, never> {
  if (error instanceof PlatformError) return {};
  throw error;
}

export function blobUrl(pds: string, did: string, cid: string): string {
  return `${pds}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid }).toString()}`;
}

/** The handle, or the DID if the handle does not resolve back to the account. */
function displayHandle({ did, handle }: z.output<typeof Tokens>): string {
  return isHandle(handle.toLowerCase()) && handle !== 'handle.invalid' ? handle.toLowerCase() : did;
}

function jwts({ accessJwt, refreshJwt }: z.output<typeof Tokens>) {
  return { accessJwt, refreshJwt };
}
