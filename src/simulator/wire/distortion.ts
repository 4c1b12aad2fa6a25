/** What a fault changes about one reply while it is made. */
export interface Distortion {
  /** Lists of orders and trades are as they were this long ago. */
  readonly lagMs?: number;
  /** Of the trades that lag, every second one is there all the same: they come in another order than that of their ids. */
  readonly isUneven?: boolean;
  /** Own trades come in another order than that of their ids. */
  readonly shufflesTrades?: boolean;
  /** Fields that some deployments leave out are left out. */
  readonly omitsFields?: boolean;
  /** Fields that no document names are added. */
  readonly addsFields?: boolean;
}
