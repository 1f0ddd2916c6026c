import { join } from 'node:path';
import { ownPost } from '../../db/posts/posts.ts';
import { targetsOf } from '../../db/posts/targets.ts';
import { atLeast, type Finding } from './finding.ts';
import { compare, type Effort } from './load.ts';
import type { RecordQueries } from './peers.ts';
import { postId, seedPosts, statementOf } from './seed.ts';
import { makeDataDir, startPeer, startRostra, withFolder, withServers } from './server.ts';

const POSTS = 1000;
const ASKED = 50;

/** One post by REST, key check and all, beside a bare Koa route over the same SQL and the same JSON. */
export function benchRest(effort: Effort): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const empty = join(folder, 'empty');
    const headers = { authorization: `Bearer ${await makeDataDir(empty)}` };
    const dataDir = join(folder, 'data');
    const { file, workspace } = seedPosts(empty, dataDir, POSTS);
    const post = await statementOf((db) => ownPost(db, { workspace, id: postId(0) }).execute());
    const targets = await statementOf((db) => targetsOf(db, { postId: postId(0) }).execute());
    const answers: RecordQueries = { file, post, targets };
    return withServers([startRostra(dataDir), startPeer('bareRecord', answers)], async ([rostra, bare]) => {
      const read = async (url: string) => (await fetch(`${url}/v1/posts/${postId(7)}`, { headers })).text();
      if ((await read(rostra!.url)) !== (await read(bare!.url))) throw new Error('the peer answers another post');
      const requests = Array.from({ length: ASKED }, (_, index) => ({
        method: 'GET' as const,
        path: `/v1/posts/${postId(index * 19)}`,
      }));
      const compared = await compare(
        [
          { name: 'rostra', ...rostra!, requests, headers },
          { name: 'bare', ...bare!, requests },
        ],
        effort,
      );
      return [
        {
          what: 'one post by REST beside bare Koa',
          ...atLeast(0.8, compared.ratio('bare')),
          note: compared.describe('bare'),
        },
      ];
    });
  });
}
