import { ANSWERING_COMMENTS, PUBLISHING, READING_COMMENTS } from '../app/capabilities.ts';
import * as z from 'zod';
import { googleLogin } from '../googleapis/login.ts';
import { isNamed, refused } from '../shared/errors.ts';
import { counted, readable, text, word } from '../shared/fields.ts';
import { requestWith } from './api.ts';

const Channel = z.object({
  id: z.string().min(1),
  snippet: z.object({
    title: word,
    description: text,
    customUrl: text,
    thumbnails: z.record(z.string(), z.object({ url: z.string() })).catch({}),
  }),
  contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string().min(1) }) }),
  statistics: z.object({ subscriberCount: counted, videoCount: counted }).catch({ subscriberCount: 0, videoCount: 0 }),
  status: z.object({ longUploadsStatus: text }).catch({ longUploadsStatus: undefined }),
});
const NO_CHANNEL = 'This Google login has no YouTube channel.';

const Channels = z.object({ items: z.array(z.unknown()).catch([]) });

/** Connects a channel, which the person chooses on the consent page; the tokens are valid only for it. */
export const connect = googleLogin({
  slug: 'youtube',
  title: 'YouTube',
  scopes: {
    setting: 'YOUTUBE_SCOPES',
    losses: {
      'youtube.upload': 'Videos cannot be published.',
      'youtube.force-ssl': 'Comments cannot be read or answered, and videos cannot be deleted.',
      'youtube.readonly': 'The channel and its videos cannot be read.',
    },
    needs: [
      [PUBLISHING, 'youtube.upload'],
      [[...READING_COMMENTS, ...ANSWERING_COMMENTS, 'unpublish'], 'youtube.force-ssl'],
    ],
  },
  required: ['youtube.upload', 'youtube.force-ssl'],
  async profiles(call) {
    const query = { part: 'id,snippet,contentDetails,statistics,status', mine: true };
    const requested = requestWith(call, { method: 'GET', path: '/youtube/v3/channels', query }, Channels);
    const found = await requested.catch((error: unknown) => {
      throw isNamed(error, 'youtubeSignupRequired') ? refused('no_channels', NO_CHANNEL) : error;
    });
    const channels = readable(Channel, found.items);
    if (channels.length === 0) throw refused('no_channels', NO_CHANNEL);
    return channels.map(({ id, snippet, contentDetails, statistics, status }) => ({
      profile: {
        platform_user_id: id,
        username: snippet.customUrl?.replace(/^@/, '') || snippet.title,
        name: snippet.title,
        bio: snippet.description,
        profile_picture_url: (snippet.thumbnails['high'] ?? snippet.thumbnails['default'])?.url,
        profile_url: `${call.hosts['www']!}/channel/${id}`,
        metadata: {
          subscriber_count: statistics.subscriberCount,
          video_count: statistics.videoCount,
          uploads_playlist_id: contentDetails.relatedPlaylists.uploads,
          ...(status.longUploadsStatus !== undefined && { long_uploads: status.longUploadsStatus }),
        },
      },
      session: { channel: id, uploads: contentDetails.relatedPlaylists.uploads },
    }));
  },
});
