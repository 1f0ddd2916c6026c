/** Whether a folder stands installed as its lock file says. */
export declare function isUpToDate(folder: string): boolean;
