import type { TwinOptions } from '../kit/options.ts';
import { makeComments } from './comments.ts';
import { makeLogin } from './login.ts';
import { makeMentions } from './mentions.ts';
import { makePosts } from './posts.ts';
import { makePublications } from './publications.ts';
import { makeEvents } from './pushes.ts';
import { makeTalk } from './talk.ts';
import { makeViews } from './views.ts';
import { makeNames, openWorld } from './world.ts';

export function openParts(options: TwinOptions) {
  const world = openWorld(options);
  const names = makeNames(world);
  const login = makeLogin(world, names);
  const events = makeEvents(world, names, login);
  const posts = makePosts(world, names);
  const comments = makeComments(world, names, posts, events);
  const publications = makePublications(world, events);
  const mentions = makeMentions(world, names, { events, comments, publications });
  const talk = makeTalk(world, names, events);
  const views = makeViews(names, posts);
  return Object.freeze({ world, names, login, events, posts, comments, publications, mentions, talk, views });
}
export type Parts = ReturnType<typeof openParts>;
