global using Geo.Plane;
