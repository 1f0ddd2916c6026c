import { toolset } from '#call/tool.ts';
import { createExport } from './create-export.ts';
import { deleteExport } from './delete-export.ts';
import { getExport } from './get-export.ts';
import { getExportVideos } from './get-export-videos.ts';
import { listExports } from './list-exports.ts';

export const exports = toolset('exports', 'Exports', 'Metrics of posts as files.', [
  createExport,
  listExports,
  getExport,
  getExportVideos,
  deleteExport,
]);
