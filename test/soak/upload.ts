import { parseArgs } from 'node:util';
import { UPLOADS, uploadThroughKills } from './uploads.ts';

/** How much more resident memory a large video may take. */
const MOST_MB = 100;

/** Publishes a large video while the server is killed again and again; it is to be there once, whole, with little memory. */
export async function soakUpload(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      platform: { type: 'string', default: 'youtube' },
      megabytes: { type: 'string', default: '2000' },
      kills: { type: 'string', default: '10' },
    },
  });
  const [megabytes, kills] = [Number(values.megabytes), Number(values.kills)];
  const platform = UPLOADS[values.platform as keyof typeof UPLOADS];
  const { post, mostMb, fetches, videos, isSame } = await uploadThroughKills(platform, megabytes, kills);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${megabytes} MB to ${values.platform} through ${kills} kills: ${post.status}, fetched ${fetches} times`);
  say(`${videos.length} videos, ${isSame ? 'the same' : 'not the same'} to the last byte`);
  say(`at most ${mostMb.toFixed(0)} MB more resident memory`);
  return post.status === 'published' && fetches === 1 && videos.length === 1 && isSame && mostMb < MOST_MB;
}
