import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import { safeEqual } from '#kernel/sign.ts';

export const hmac = (secret: string | Buffer, algorithm: string, body: string): ReturnType<typeof createHmac> =>
  createHmac(algorithm, secret).update(body);

/** How a client authenticates: in the body, by Basic, or with its id in the body and its secret in a header. */
export type ClientAuth = Readonly<
  { id?: string; secret?: string } & ({ by: 'body' } | { by: 'basic' } | { by: 'header'; header: string })
>;

export function basicOf(ctx: Context): readonly [id: string, secret: string] | undefined {
  const [, encoded] = /^Basic (\S+)$/i.exec(ctx.get('authorization')) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  try {
    return [decodeURIComponent(id), decodeURIComponent(secret)];
  } catch {
    return [id, secret];
  }
}

export function isOurClient(
  ctx: Context,
  fields: Readonly<{ text(name: string): string | undefined }>,
  auth: ClientAuth,
  app: Readonly<{ id: string; secret: string }>,
): boolean {
  const { id: idField = 'client_id', secret: secretField = 'client_secret' } = auth;
  const [user, password] = basicOf(ctx) ?? ['', ''];
  const id = auth.by === 'basic' ? user : (fields.text(idField) ?? '');
  const sent = auth.by === 'header' ? ctx.get(auth.header) : (fields.text(secretField) ?? '');
  const secret = auth.by === 'basic' ? password : sent;
  return safeEqual(id, app.id) && safeEqual(secret, app.secret);
}

/** The token in an `Authorization` header. */
export const bearerOf = (authorization: string, scheme = 'Bearer'): string | undefined =>
  new RegExp(`^(?:${scheme}) (\\S+)$`, 'i').exec(authorization)?.[1];
