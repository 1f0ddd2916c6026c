import { toolset } from '#call/tool.ts';
import { endConnection } from './end-connection.ts';
import { getLeash } from './get-leash.ts';
import { listConnections } from './list-connections.ts';
import { setLeash } from './set-leash.ts';

export const connections = toolset('connections', 'Connections', 'What may act in the workspace, and how freely.', [
  getLeash,
  listConnections,
  setLeash,
  endConnection,
]);
