import { toolset } from '#call/tool.ts';
import { addLocationMedia } from './add-location-media.ts';

export const google = toolset('google', 'Google Business Profile', 'Google Business Profile: photos and videos.', [
  addLocationMedia,
]);
