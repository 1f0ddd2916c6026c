import * as z from 'zod';
import type { UnauthenticatedCall } from '../../call.ts';
import { PUBLISHING, READING_COMMENTS } from '../../app/capabilities.ts';
import { Id } from '../../graph/api.ts';
import { longConnect } from '../../graph/login.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { text } from '../../shared/fields.ts';
import { declareScopes } from '../../shared/scopes.ts';
import { graph, sessionOf, type ThreadsSession } from '../api.ts';
import { errorOf } from '../errors.ts';

export const SCOPES = declareScopes({
  setting: 'THREADS_SCOPES',
  title: 'Threads',
  losses: {
    threads_basic: 'The profile cannot be read, and nothing else works.',
    threads_content_publish: 'Posts cannot be published.',
    threads_delete: 'Posts and comments cannot be deleted.',
    threads_manage_insights: 'Posts have no metrics.',
    threads_manage_mentions: 'Mentions cannot be listed.',
    threads_manage_replies: 'Comments cannot be answered or hidden.',
    threads_read_replies: 'Comments cannot be read.',
  },
  needs: [
    [PUBLISHING, 'threads_content_publish'],
    [['unpublish', 'delete a comment'], 'threads_delete'],
    [['post metrics'], 'threads_manage_insights'],
    [['list mentions'], 'threads_manage_mentions'],
    [['reply to a comment', 'hide a comment', 'first comment', 'reply to a mention'], 'threads_manage_replies'],
    [READING_COMMENTS, 'threads_read_replies'],
  ],
});

const Me = z.object({
  id: Id,
  username: z.string(),
  name: text,
  threads_profile_picture_url: text,
  threads_biography: text,
  is_verified: z.boolean().optional().catch(undefined),
});
const Debugged = z.object({ data: z.object({ scopes: z.array(z.string()) }) });

async function grantedTo(call: UnauthenticatedCall, token: string): Promise<readonly string[]> {
  const request = { method: 'GET', path: '/debug_token', query: { input_token: token }, token } as const;
  return (await graph(call, request, Debugged)).data.scopes;
}

/** Connects through the consent page of Threads; a login is one profile, and its token is renewed. */
export const connect = longConnect({
  slug: 'threads',
  title: 'Threads',
  prefix: 'th',
  token: { host: 'graph', path: '/oauth/access_token' },
  scopes: SCOPES,
  request: graph,
  errorOf,
  sessionOf,
  me: { fields: 'id,username,name,threads_profile_picture_url,threads_biography,is_verified', item: Me },
  granted: (call) => grantedTo(call, sessionOf(call.session).token),
  async account(call, { me, issued }) {
    // Not every login may read its permissions.
    const granted = await unlessRefused(grantedTo(call, issued.token));
    const profile = {
      platform_user_id: me.id,
      username: me.username,
      name: me.name || me.username,
      bio: me.threads_biography,
      profile_picture_url: me.threads_profile_picture_url,
      profile_url: `${call.hosts['web']!}/@${me.username}`,
      metadata: { ...SCOPES.reported(call.settings, granted), is_verified: me.is_verified ?? false },
    };
    return { profile, session: { ...issued, user_id: me.id } satisfies ThreadsSession };
  },
});
