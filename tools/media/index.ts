import { toolset } from '#call/tool.ts';
import { deleteMedia } from './delete-media.ts';
import { getMediaUploadUrl } from './get-media-upload-url.ts';
import { getStorageUsage } from './get-storage-usage.ts';
import { listMedia } from './list-media.ts';
import { uploadMedia } from './upload-media.ts';
import { verifyMediaUpload } from './verify-media-upload.ts';

export const media = toolset('media', 'Media', 'Files for posts and messages.', [
  listMedia,
  getStorageUsage,
  getMediaUploadUrl,
  uploadMedia,
  verifyMediaUpload,
  deleteMedia,
]);
