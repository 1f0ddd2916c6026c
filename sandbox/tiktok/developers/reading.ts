import { z } from 'zod';
import { perMinute } from '../../kit/api/rates.ts';
import type { Parts } from '../parts.ts';
import { fieldsOf, on, read, words } from './calls.ts';

const MOST = 20;
const Ids = z.looseObject({ video_ids: z.array(z.string()).min(1).max(MOST) });
/** Fields of users that need a scope of their own. */
const RIGHTS = Object.freeze({
  'user.info.profile': /^(?:username|bio_description|is_verified|profile_deep_link)$/,
  'user.info.stats': /_count$/,
});

export function readingRoutes({ names, posts, views: { developers } }: Parts) {
  const rate = (name: string) => perMinute(name, () => 600, { key: 'app', sliding: true });
  return [
    on('GET', '/v2/user/info/', 'user.info.basic', rate('user'), (call) => {
      const { params, caller } = call;
      const show = fieldsOf(call, developers.user);
      const wanted = params.required('fields').split(',');
      for (const [scope, fields] of Object.entries(RIGHTS))
        if (!caller.scopes.includes(scope) && wanted.some((name) => fields.test(name))) throw words.noScope();
      return { user: show(names.creator(caller.person)) };
    }),
    on('POST', '/v2/video/list/', 'video.list', rate('list'), (call) => {
      const { params, caller } = call;
      const show = fieldsOf(call, developers.video);
      const size = params.whole('max_count') ?? 10;
      if (size < 1 || size > MOST) throw words.invalid('max_count must be from 1 to 20');
      const { page, ...rest } = posts.page(posts.of(caller.person), params.whole('cursor') ?? 0, size);
      return { videos: page.map(show), ...rest };
    }),
    on('POST', '/v2/video/query/', 'video.list', rate('query'), (call) => {
      const show = fieldsOf(call, developers.video);
      const { video_ids: ids } = read(Ids, call.params.object('filters'), 'filters');
      const found = posts.of(call.caller.person).filter(({ id }) => ids.includes(id));
      return { videos: found.map(show) };
    }),
  ];
}
