BEGIN TRANSACTION;
CREATE TABLE collectionItems (collectionID int not null, itemID int not null,
    orderIndex int not null default 0);
INSERT INTO "collectionItems" VALUES(3,1,0);
INSERT INTO "collectionItems" VALUES(2,2,0);
INSERT INTO "collectionItems" VALUES(1,3,0);
CREATE TABLE collections (collectionID integer primary key, collectionName text not null,
    parentCollectionID int, clientDateModified timestamp, libraryID int not null,
    key text not null, version int not null default 0, synced int not null default 0);
INSERT INTO "collections" VALUES(1,'Shelf',NULL,NULL,1,'CLLSHELF',0,0);
INSERT INTO "collections" VALUES(2,'Sky',NULL,NULL,1,'CLLSKY22',0,0);
INSERT INTO "collections" VALUES(3,'Rooms',1,NULL,1,'CLLRM222',0,0);
CREATE TABLE creatorTypes (creatorTypeID integer primary key, creatorType text);
INSERT INTO "creatorTypes" VALUES(1,'author');
CREATE TABLE creators (creatorID integer primary key, firstName text, lastName text,
    fieldMode int, unique (lastName, firstName, fieldMode));
INSERT INTO "creators" VALUES(1,'Ada','Lindqvist',0);
INSERT INTO "creators" VALUES(2,'Ada','Marchetti',0);
INSERT INTO "creators" VALUES(3,'Ada','Vesper',0);
CREATE TABLE deletedCollections (collectionID integer primary key,
    dateDeleted default current_timestamp);
CREATE TABLE deletedItems (itemID integer primary key, dateDeleted default current_timestamp);
CREATE TABLE feeds (libraryID integer primary key, name text not null, url text not null);
CREATE TABLE fields (fieldID integer primary key, fieldName text);
INSERT INTO "fields" VALUES(1,'title');
INSERT INTO "fields" VALUES(2,'date');
INSERT INTO "fields" VALUES(3,'citationKey');
INSERT INTO "fields" VALUES(4,'abstractNote');
CREATE TABLE fieldsCombined (fieldID integer primary key, fieldName text, custom int);
INSERT INTO "fieldsCombined" VALUES(1,'title',0);
INSERT INTO "fieldsCombined" VALUES(2,'date',0);
INSERT INTO "fieldsCombined" VALUES(3,'citationKey',0);
INSERT INTO "fieldsCombined" VALUES(4,'abstractNote',0);
CREATE TABLE groups (groupID integer primary key, libraryID int not null unique,
    name text not null, description text not null default '', version int not null default 0);
CREATE TABLE itemAnnotations (itemID integer primary key, parentItemID int not null,
    type integer not null, authorName text, text text, comment text, color text, pageLabel text,
    sortIndex text not null, position text not null, isExternal int not null);
INSERT INTO "itemAnnotations" VALUES(8,4,1,'','The quiet room was seldom the quietest room.','Is this so everywhere?','#ffd400','42','00001|000100|00100','{"pageIndex": 1, "rects": [[50.0, 500.0, 300.0, 512.0]]}',0);
CREATE TABLE itemAttachments (itemID integer primary key, parentItemID int, linkMode int,
    contentType text, charsetID int, path text, syncState int default 0);
INSERT INTO "itemAttachments" VALUES(4,1,0,'application/pdf',NULL,'storage:rooms.pdf',0);
INSERT INTO "itemAttachments" VALUES(5,2,0,'application/pdf',NULL,'storage:queues.pdf',0);
INSERT INTO "itemAttachments" VALUES(6,3,0,'application/pdf',NULL,'storage:gone.pdf',0);
CREATE TABLE itemCreators (itemID int not null, creatorID int not null,
    creatorTypeID int not null, orderIndex int not null);
INSERT INTO "itemCreators" VALUES(1,1,1,0);
INSERT INTO "itemCreators" VALUES(2,2,1,0);
INSERT INTO "itemCreators" VALUES(3,3,1,0);
CREATE TABLE itemData (itemID int, fieldID int, valueID int, primary key (itemID, fieldID));
INSERT INTO "itemData" VALUES(1,1,1);
INSERT INTO "itemData" VALUES(1,2,2);
INSERT INTO "itemData" VALUES(1,3,3);
INSERT INTO "itemData" VALUES(1,4,4);
INSERT INTO "itemData" VALUES(2,1,5);
INSERT INTO "itemData" VALUES(2,2,6);
INSERT INTO "itemData" VALUES(3,1,7);
INSERT INTO "itemData" VALUES(3,2,8);
INSERT INTO "itemData" VALUES(3,3,9);
INSERT INTO "itemData" VALUES(4,1,10);
INSERT INTO "itemData" VALUES(5,1,10);
INSERT INTO "itemData" VALUES(6,1,10);
CREATE TABLE itemDataValues (valueID integer primary key, value unique);
INSERT INTO "itemDataValues" VALUES(1,'The Sound of Reading Rooms');
INSERT INTO "itemDataValues" VALUES(2,'2019');
INSERT INTO "itemDataValues" VALUES(3,'lindqvist2019rooms');
INSERT INTO "itemDataValues" VALUES(4,'How loud a quiet room may be.');
INSERT INTO "itemDataValues" VALUES(5,'Fair Queues for a Shared Telescope');
INSERT INTO "itemDataValues" VALUES(6,'2022');
INSERT INTO "itemDataValues" VALUES(7,'A Paper Whose File Is Gone');
INSERT INTO "itemDataValues" VALUES(8,'2001');
INSERT INTO "itemDataValues" VALUES(9,'gone2001');
INSERT INTO "itemDataValues" VALUES(10,'Full text');
CREATE TABLE itemNotes (itemID integer primary key, parentItemID int, note text, title text);
INSERT INTO "itemNotes" VALUES(7,1,'<p>Compare the <b>carpet</b> with the shelves; ask the librarian about the hours.</p>','On rooms');
CREATE TABLE itemRelations (itemID int not null, predicateID int not null, object text not null);
CREATE TABLE itemTags (itemID int not null, tagID int not null, type int not null);
INSERT INTO "itemTags" VALUES(1,1,0);
INSERT INTO "itemTags" VALUES(1,2,0);
INSERT INTO "itemTags" VALUES(2,3,0);
INSERT INTO "itemTags" VALUES(3,1,0);
CREATE TABLE itemTypes (itemTypeID integer primary key, typeName text);
INSERT INTO "itemTypes" VALUES(1,'journalArticle');
INSERT INTO "itemTypes" VALUES(2,'attachment');
INSERT INTO "itemTypes" VALUES(3,'note');
INSERT INTO "itemTypes" VALUES(4,'annotation');
CREATE TABLE itemTypesCombined (itemTypeID integer primary key, typeName text, custom int);
INSERT INTO "itemTypesCombined" VALUES(1,'journalArticle',0);
INSERT INTO "itemTypesCombined" VALUES(2,'attachment',0);
INSERT INTO "itemTypesCombined" VALUES(3,'note',0);
INSERT INTO "itemTypesCombined" VALUES(4,'annotation',0);
CREATE TABLE items (itemID integer primary key, itemTypeID int not null,
    dateAdded timestamp not null, dateModified timestamp not null,
    clientDateModified timestamp not null, libraryID int not null, key text not null,
    version int not null default 0, synced int not null default 0, unique (libraryID, key));
INSERT INTO "items" VALUES(1,1,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'ARTRM222',0,0);
INSERT INTO "items" VALUES(2,1,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'ARTSKY22',0,0);
INSERT INTO "items" VALUES(3,1,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'ARTGNE22',0,0);
INSERT INTO "items" VALUES(4,2,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'PDFRM222',0,0);
INSERT INTO "items" VALUES(5,2,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'PDFSKY22',0,0);
INSERT INTO "items" VALUES(6,2,'2024-03-01 12:00:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'PDFGNE22',0,0);
INSERT INTO "items" VALUES(7,3,'2026-05-04 09:30:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'NTERM222',0,0);
INSERT INTO "items" VALUES(8,4,'2026-05-04 09:30:00','2024-03-01 12:00:00','2024-03-01 12:00:00',1,'ANNRM222',0,0);
CREATE TABLE libraries (libraryID integer primary key, type text not null, editable int not null,
    filesEditable int not null, version int not null default 0);
INSERT INTO "libraries" VALUES(1,'user',1,1,0);
CREATE TABLE relationPredicates (predicateID integer primary key, predicate text unique);
INSERT INTO "relationPredicates" VALUES(1,'dc:relation');
CREATE TABLE retractedItems (itemID integer primary key, data text, flag int default 0);
CREATE TABLE tags (tagID integer primary key, name text not null unique);
INSERT INTO "tags" VALUES(1,'rooms');
INSERT INTO "tags" VALUES(2,'read later');
INSERT INTO "tags" VALUES(3,'sky');
CREATE TABLE version (schema text primary key, version int not null);
INSERT INTO "version" VALUES('userdata',125);
CREATE INDEX itemAttachments_parent on itemAttachments(parentItemID);
CREATE TABLE savedSearches (savedSearchID integer primary key, savedSearchName text not null, clientDateModified timestamp, libraryID int not null, key text not null, version int not null default 0, synced int not null default 0);
INSERT INTO "savedSearches" VALUES(1,'Rooms since 2018',NULL,1,'SRCHRM22',0,0);
INSERT INTO "savedSearches" VALUES(2,'Words of files',NULL,1,'SRCHFT22',0,0);
CREATE TABLE savedSearchConditions (savedSearchID int not null, searchConditionID int not null, condition text not null, operator text, value text, required none, primary key (savedSearchID, searchConditionID));
INSERT INTO "savedSearchConditions" VALUES(1,0,'tag','is','rooms',NULL);
INSERT INTO "savedSearchConditions" VALUES(1,1,'date','isAfter','2017',NULL);
INSERT INTO "savedSearchConditions" VALUES(2,0,'fulltextContent','contains','carpet',NULL);
CREATE TABLE deletedSearches (savedSearchID integer primary key, dateDeleted default current_timestamp);
CREATE TABLE baseFieldMappingsCombined (itemTypeID int, baseFieldID int, fieldID int);
COMMIT;
