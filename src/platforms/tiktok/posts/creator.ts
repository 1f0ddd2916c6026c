import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import type { CreatorInfo } from '../../platform.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { count, flag, text, word } from '../../shared/fields.ts';
import { asCreator, readBusiness, sessionOf } from '../api.ts';

export const Creator = z.object({
  creator_username: text,
  privacy_level_options: z.array(z.string()).catch([]),
  comment_disabled: flag,
  duet_disabled: flag,
  stitch_disabled: flag,
  max_video_post_duration_sec: count,
});

/** What a creator may publish at the moment. */
export type Creator = z.output<typeof Creator>;

/** Reads what a creator may publish; TikTok for Developers requires this before each post. */
export const readCreator = (call: AccountCall): Promise<Creator> =>
  asCreator(call, '/v2/post/publish/creator_info/query/', Creator, { json: {} });

/** The creator's username; undefined if TikTok does not return it at the moment. */
export async function creatorName(call: AccountCall): Promise<string | undefined> {
  try {
    return (await readCreator(call)).creator_username;
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

export const readBusinessCreator = (call: AccountCall): Promise<Creator> =>
  readBusiness(call, '/business/video/settings/', Creator);

const User = z.object({ user: z.object({ display_name: word, avatar_url: text }) });
const Business = z.object({ display_name: word, profile_image: text });

type Names = Readonly<{ nickname: string; avatar: string | undefined }>;

/** For a creator who may not post at the moment, TikTok returns nothing but the refusal. */
const creatorInfoBy = (read: (call: AccountCall) => Promise<Creator>, namesOf: (call: AccountCall) => Promise<Names>) =>
  async function creatorInfo(call: AccountCall): Promise<CreatorInfo> {
    const creator = await unlessRefused(read(call), 'publish_limit', 'blocked');
    const { nickname, avatar } = await namesOf(call);
    const { comment_disabled = true, duet_disabled = true, stitch_disabled = true } = creator ?? {};
    return {
      nickname: nickname || (sessionOf(call.session).username ?? ''),
      avatar_url: avatar ?? null,
      can_post: creator !== undefined,
      max_video_duration_sec: creator?.max_video_post_duration_sec ?? 0,
      privacy_level_options: creator?.privacy_level_options ?? [],
      interaction_settings: { comment_disabled, duet_disabled, stitch_disabled },
    };
  };

export const creatorInfo = creatorInfoBy(readCreator, async (call) => {
  const query = { fields: 'display_name,avatar_url' };
  const { user } = await asCreator(call, '/v2/user/info/', User, { method: 'GET', query });
  return { nickname: user.display_name, avatar: user.avatar_url };
});

export const businessCreatorInfo = creatorInfoBy(readBusinessCreator, async (call) => {
  const fields = JSON.stringify(Object.keys(Business.shape));
  const { display_name: nickname, profile_image: avatar } = await readBusiness(call, '/business/get/', Business, {
    fields,
  });
  return { nickname, avatar };
});
