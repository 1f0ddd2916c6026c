import { withKinds } from '../shared/kinds.ts';
import { connect, pageConnect } from './accounts/connect.ts';
import { table } from './errors.ts';
import { comments, like } from './inbox/comments.ts';
import { inbox } from './inbox/history.ts';
import { mentions } from './inbox/mentions.ts';
import { messages, pageMessages, privateReply } from './inbox/messages.ts';
import { publish, remove } from './posts/publish.ts';
import { limits, list, metrics } from './posts/reads.ts';
import { anyShape, attached, check, doubts, rules } from './posts/rules.ts';
import { push, VERIFY_TOKEN } from './push.ts';
import { GRAPH, GRAPH_ID } from '../graph/api.ts';

const posts = Object.freeze({ rules, check, doubts, anyShape, attached, publish, list, metrics, syncDepth: 500 });
const writable = Object.freeze({ ...comments, privateReply });

/** Professional accounts, connected by Instagram login or, with more features, through a linked Page. */
export const instagram = withKinds(
  {
    slug: 'instagram',
    title: 'Instagram',
    errors: { '': table },
    settings: [VERIFY_TOKEN],
    versions: [GRAPH],
    hosts: {
      real: {
        graph: 'https://graph.instagram.com',
        api: 'https://api.instagram.com',
        web: 'https://www.instagram.com',
        facebook: 'https://graph.facebook.com',
        dialog: 'https://www.facebook.com',
      },
      sandbox: ({ api, web }) => ({
        graph: `${api}/graph`,
        api: `${api}/api`,
        web: `${web}/www`,
        facebook: `${api}/graph-facebook`,
        dialog: `${web}/facebook`,
      }),
    },
    connect,
    ids: { post: GRAPH_ID, comment: GRAPH_ID },
    posts,
    comments: writable,
    messages,
    push,
    inbox,
    limits,
    verification: {
      seenBy: 'nobody: it expires after a day unless it is published',
      media: 'image',
      stopsBefore: 'publish',
    },
  },
  {
    facebook: {
      connect: pageConnect,
      posts: Object.freeze({ ...posts, remove }),
      comments: Object.freeze({ ...writable, like }),
      messages: pageMessages,
      mentions,
    },
  },
);
