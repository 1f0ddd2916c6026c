/** Where the nodes lie. */
export declare const place: string;
/** Whether they are there, whole, and what they need. */
export declare function isUnpacked(): boolean;
