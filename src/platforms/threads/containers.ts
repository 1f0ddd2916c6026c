import type { AccountCall } from '../call.ts';
import type { ContainerPlan } from '../graph/container-making.ts';
import { graphContainers } from '../graph/containers.ts';
import { isGraph } from '../graph/errors.ts';
import { failedLater } from '../shared/errors.ts';
import { pendingAs } from '../shared/pending.ts';
import type { Fields } from '../shared/rest.ts';
import { isSameText } from '../shared/settle.ts';
import { asUser, sessionOf } from './api.ts';
import { Thread } from './media.ts';

const SHOWN = 'text,timestamp';

/** Matches the reasons of failed containers that are permanent. */
const FINAL = /^(?:INVALID|FAILED_PROCESSING)_/;

/** The containers by which all posts and replies of a profile are created. */
export const containers = graphContainers({
  title: 'Threads',
  edges: { make: 'threads', publish: 'threads_publish' },
  fields: { state: 'status', why: 'error_message' },
  request: asUser,
  ownerOf: (call) => sessionOf(call.session).user_id,
  failureOf(why) {
    const failure = failedLater('invalid_request', 'Threads cannot use a media item; try another file.', {
      name: why,
      text: why,
    });
    return FINAL.test(why) ? failure : pendingAs(failure);
  },
  isUnready: (error) => isGraph(error, 24, 4279009),
});

export type Written = Readonly<{
  text: string;
  media?: readonly (() => Promise<Fields>)[];
  replyTo?: string | undefined;
  more?: Fields;
  taken?: ReadonlySet<string> | undefined;
}>;

/** The containers of a post or reply, and the list in which it is looked up. */
export function planOf(call: AccountCall, { text, media = [], replyTo, more, taken }: Written): ContainerPlan {
  const form = { ...more, text: text.toWellFormed() || undefined, reply_to_id: replyTo };
  const isCarousel = media.length > 1;
  return {
    children: isCarousel ? media.map((one) => async () => ({ ...(await one()), is_carousel_item: true })) : [],
    async whole(children) {
      if (isCarousel) return { ...form, media_type: 'CAROUSEL', children: children.join(',') };
      return { ...form, ...((await media[0]?.()) ?? { media_type: 'TEXT' }) };
    },
    listed() {
      const [edge, fields] = replyTo === undefined ? ['threads', SHOWN] : ['replies', `${SHOWN},replied_to`];
      return containers.newest(call, { edge, fields, item: Thread }, (one) => {
        return one.replied_to?.id === replyTo && isSameText(one.text, text) && !taken?.has(one.id);
      });
    },
  };
}
