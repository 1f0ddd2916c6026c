import { toolset } from '#call/tool.ts';
import { approveAction } from './approve-action.ts';
import { denyAction } from './deny-action.ts';
import { endConnection } from './end-connection.ts';
import { getAction } from './get-action.ts';
import { getLeash } from './get-leash.ts';
import { listActions } from './list-actions.ts';
import { listAudit } from './list-audit.ts';
import { listConnections } from './list-connections.ts';
import { setLeash } from './set-leash.ts';
import { withdrawAction } from './withdraw-action.ts';

export const connections = toolset('connections', 'Connections', 'What may act in the workspace, and how freely.', [
  getLeash,
  listConnections,
  setLeash,
  endConnection,
  listActions,
  getAction,
  withdrawAction,
  approveAction,
  denyAction,
  listAudit,
]);
