import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { SignJWT } from 'jose';
import { callThrough } from '../calls/operations.ts';
import { serveTest } from '../sockets.ts';
import { makeWorld, type World, type WorldOptions } from '../world.ts';

export const ISSUER = 'https://identity.example/';
export const AUDIENCE = 'rostra-dashboard';

export type Algorithm = 'EdDSA' | 'ES256' | 'RS256' | 'PS256';
export type HostKey = Readonly<{ alg: Algorithm; kid: string; privateKey: KeyObject; jwk: JsonWebKey }>;

/** A key of an identity host. */
export function hostKey(kid: string, alg: Algorithm = 'EdDSA'): HostKey {
  const { publicKey, privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { alg, kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** An identity host on this machine. */
export async function startHost(...keys: readonly HostKey[]) {
  let published: readonly object[] = keys.map(({ jwk }) => jwk);
  const usual: RequestListener = (_, res) => void res.end(JSON.stringify({ keys: published }));
  let listener = usual;
  let asked = 0;
  const server = createServer((req, res) => {
    asked += 1;
    listener(req, res);
  });
  return {
    url: `${await serveTest(server)}/keys`,
    /** How often its keys were asked for. */
    asked: () => asked,
    publish: (...those: readonly object[]) =>
      void (published = those.map((key) => ('jwk' in key ? (key as HostKey).jwk : key))),
    /** Answers in its own way; the keys again when nothing is said. */
    answer: (how = usual) => void (listener = how),
  };
}

export const settingsFor = ({ url }: Readonly<{ url: string }>) => ({
  DASHBOARD_JWKS_URL: url,
  DASHBOARD_JWT_ISSUER: ISSUER,
  DASHBOARD_JWT_AUDIENCE: AUDIENCE,
});

/** Signs what the host says of the owner, but for what is given; an undefined claim is left out. */
export function token(
  { clock }: Pick<World, 'clock'>,
  { alg, kid, privateKey }: HostKey,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = secondsOf({ clock });
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'host|1', email: 'owner@example.org', iat: now, exp: now + 300 };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey);
}

/** The time of a world as tokens tell it. */
export const secondsOf = ({ clock }: Pick<World, 'clock'>) => Math.floor(clock.now() / 1000);

/** What the server makes of a token: ok, or why not. */
export async function codeOf(world: World, key: string, name = 'get_me'): Promise<string> {
  const { status, code } = await callThrough(world, 'rest', name, {}, { key });
  return status! < 300 ? 'ok' : `${status} ${code}`;
}

/** A server that knows an identity host with one key. */
export async function openIdentity(options: WorldOptions = {}) {
  const key = hostKey('first');
  const host = await startHost(key);
  const world = await makeWorld({ ...options, env: { ...settingsFor(host), ...options.env } });
  return { world, host, key };
}
