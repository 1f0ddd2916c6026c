import { makeOutbound } from '#kernel/net/request.ts';
import type { AccountCall, Hosts, Session, UnauthenticatedCall } from '#platforms/call.ts';
import type { OpenedMedia } from '#platforms/media.ts';
import type { Done, OutgoingPost, PublishCall } from '#platforms/posts.ts';
import { publish } from '#platforms/bluesky/posts/publish.ts';
import { sentBody } from '#engine/accounts/calling.ts';
import { bareCall } from '../opened.ts';

export type Client = ReturnType<typeof makeClient>;

/** Connector calls through the real outbound client; loopback is open, as on a developer's machine. */
export function makeClient(hosts: Hosts, now: () => number, trusted: readonly string[] = []) {
  const outbound = makeOutbound({
    allowPrivate: ['127.0.0.0/8', '::1/128'],
    ownPort: () => undefined,
    trustedOrigins: () => trusted,
    userAgent: 'rostra-test',
  });
  const bare: UnauthenticatedCall = {
    hosts,
    settings: {},
    now,
    http: ({
      template,
      given = false,
      maxBytes = 1_000_000,
      deadlineMs = 10_000,
      redirects = 0,
      overflow = 'refuse',
      body,
      headers,
      ...request
    }) =>
      outbound.send({
        ...request,
        ...sentBody(body, headers),
        purpose: 'platform',
        given,
        maxBytes,
        deadlineMs,
        redirects,
        overflow,
        pathTemplate: template,
      }),
  };
  return { bare, acting: (session: Session): AccountCall => ({ ...bare, session }), close: () => outbound.close() };
}

/** A step's call, with the results so far passed through JSON as the engine does. */
export function publishing(
  acting: AccountCall,
  post: OutgoingPost,
  done: Done = {},
  media: Readonly<Record<string, OpenedMedia>> = {},
): PublishCall {
  return {
    ...acting,
    post,
    done: JSON.parse(JSON.stringify(done)) as Done,
    ...bareCall,
    open: async (ref) => media[ref]!,
  };
}

/** Runs all steps of a post, every one `times` times over, and answers all results by step. */
export async function publishAll(
  acting: AccountCall,
  post: OutgoingPost,
  media: Readonly<Record<string, OpenedMedia>> = {},
  times: Readonly<Record<string, number>> = {},
): Promise<Readonly<{ done: Done; repeats: Readonly<Record<string, readonly unknown[]>> }>> {
  const done: Record<string, unknown> = {};
  const repeats: Record<string, unknown[]> = {};
  for (const { name, kind } of publish.steps(post)) {
    const results: unknown[] = [];
    for (let i = 0; i < (times[kind] ?? 1); i++)
      results.push(await publish.run(publishing(acting, post, done, media), name));
    repeats[name] = results;
    done[name] = results.at(-1);
  }
  return { done, repeats };
}
